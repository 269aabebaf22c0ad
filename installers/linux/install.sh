#!/bin/sh
# Adds Inkstone to this user's menu, and to the programs that open .gguf: no root, nothing is copied.
#   ./install.sh            add it, from where this folder lies now
#   ./install.sh --remove   take it away again; chats, settings and models stay
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin
entry=$data/applications/inkstone.desktop

renew() {
    for tool in "update-desktop-database $data/applications" "update-mime-database $data/mime" \
        "gtk-update-icon-cache -q -t $data/icons/hicolor"; do
        # word splitting is meant: a tool and its arguments
        # shellcheck disable=SC2086
        if command -v "${tool%% *}" >/dev/null 2>&1; then $tool >/dev/null 2>&1 || true; fi
    done
}

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$data/mime/packages/inkstone.xml" "$bin/inkstone" "$bin/inkstone-window"
    find "$data/icons/hicolor" -name inkstone.png -delete 2>/dev/null || true
    renew
    echo "Taken out of the menu. Chats, settings and models stay in $data/Inkstone;"
    echo "delete this folder ($here) to remove the program itself."
    exit 0
fi

mkdir -p "$data/applications" "$data/mime/packages" "$data/icons" "$bin"
ln -sf "$here/inkstone" "$here/inkstone-window" "$bin/"
cp "$here/share/mime/packages/inkstone.xml" "$data/mime/packages/"
cp -R "$here/share/icons/hicolor" "$data/icons/"
quoted=$(printf '%s' "$here/inkstone-window" | sed 's/[\\"`$]/\\&/g; s/[&|\\]/\\&/g')
sed "s|^Exec=inkstone-window|Exec=\"$quoted\"|" "$here/share/applications/inkstone.desktop" >"$entry"
renew
echo "Inkstone is in the menu now; in a terminal: inkstone (if $bin is on the PATH)."
