#!/bin/sh
# Adds Inkstone to this user's menu, and to the programs that open .gguf: no root, nothing is copied.
#   ./install.sh            add it, from where this folder lies now
#   ./install.sh --remove   take it away again; chats, settings and models stay
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin
entry=$data/applications/inkstone.desktop
case ${XDG_CONFIG_HOME:-} in /*) config=$XDG_CONFIG_HOME ;; *) config=$HOME/.config ;; esac
autostart=$config/autostart/inkstone.desktop

renew() {
    quietly update-desktop-database "$data/applications"
    quietly update-mime-database "$data/mime"
    quietly gtk-update-icon-cache -q -t "$data/icons/hicolor"
}

quietly() {
    if command -v "$1" >/dev/null 2>&1; then "$@" >/dev/null 2>&1 || true; fi
}

# A desktop entry is read twice: as a value, where a backslash is doubled, and as a command line,
# where four signs need one and a percent sign would be the name of a field.
command=\"$(printf '%s' "$here/inkstone-window" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g; s/%/%%/g')\"
# GLib looks for a program before it reads %% as one sign; what stands here is for that other shell
# shellcheck disable=SC2016
case $here in *%*) command='"sh" "-c" "exec \\"\\$0\\" \\"\\$@\\"" '$command ;; esac

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$data/mime/packages/inkstone.xml" "$bin/inkstone" "$bin/inkstone-window"
    # the program writes it where somebody wants it started at login; another copy's entry stays
    if grep -qsF "Exec=$command" "$autostart"; then rm -f "$autostart"; fi
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
replaced=$(printf '%s' "$command" | sed 's/[&|\\]/\\&/g')
sed "s|^Exec=inkstone-window|Exec=$replaced|" "$here/share/applications/inkstone.desktop" >"$entry"
printf 'TryExec=%s\n' "$(printf '%s' "$here/inkstone-window" | sed 's/\\/\\\\/g')" >>"$entry"
renew
echo "Inkstone is in the menu now; in a terminal: inkstone (if $bin is on the PATH)."
