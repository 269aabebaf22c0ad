#!/bin/sh
# Adds Inkstone to this user's menu, and to the programs that open .gguf: no root, nothing is copied.
#   ./install.sh            add it, from where this folder lies now
#   ./install.sh --remove   take it away again; chats, settings and models stay
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
case ${XDG_DATA_HOME:-} in /*) data=$XDG_DATA_HOME ;; *) data=$HOME/.local/share ;; esac
case ${XDG_CONFIG_HOME:-} in /*) config=$XDG_CONFIG_HOME ;; *) config=$HOME/.config ;; esac
case ${XDG_CACHE_HOME:-} in /*) cache=$XDG_CACHE_HOME ;; *) cache=$HOME/.cache ;; esac
bin=$HOME/.local/bin
entry=$data/applications/inkstone.desktop
autostart=$config/autostart/inkstone.desktop
kept=${INKSTONE_HOME:-$data/Inkstone}
case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in zh*[uU][tT][fF]*8) chinese=yes ;; *) chinese= ;; esac

say() { # ENGLISH CHINESE
    if [ "$chinese" ]; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi
}

renew() {
    quietly update-desktop-database "$data/applications"
    quietly update-mime-database "$data/mime"
    quietly gtk-update-icon-cache -q -t "$data/icons/hicolor"
}

quietly() {
    if command -v "$1" >/dev/null 2>&1; then "$@" >/dev/null 2>&1 || true; fi
}

# Whether a link of that name is this copy's, or leads nowhere any more.
is_ours() {
    [ -L "$bin/$1" ] && { [ "$(readlink -- "$bin/$1")" = "$here/$1" ] || [ ! -e "$bin/$1" ]; }
}

# Whether the menu's entry is of another copy that is still there.
is_of_another() {
    [ -f "$entry" ] && ! grep -qsF "Exec=$command" "$entry" &&
        other=$(sed -n 's/\\\\/\\/g; s/^TryExec=//p' "$entry") && [ -x "$other" ]
}

# A desktop entry is read twice: as a value, where a backslash is doubled, and as a command line,
# where four signs need one and a percent sign would be the name of a field.
command=\"$(printf '%s' "$here/inkstone-window" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g; s/%/%%/g')\"
# GLib looks for a program before it reads %% as one sign; what stands here is for that other shell
# shellcheck disable=SC2016
case $here in *%*) command='"sh" "-c" "exec \\"\\$0\\" \\"\\$@\\"" '$command ;; esac

remove() {
    for name in inkstone inkstone-window; do
        if is_ours "$name"; then rm -f "$bin/$name"; fi
    done
    # the program writes it where somebody wants it started at login; another copy's entry stays
    if grep -qsF "Exec=$command" "$autostart"; then rm -f "$autostart"; fi
    if is_of_another; then
        say "The menu starts another copy ($other): it stays there." \
            "菜单里是另一份副本（$other）：它保留不动。"
    else
        rm -f "$entry" "$data/mime/packages/inkstone.xml"
        find "$data/icons/hicolor" -name inkstone.png -delete 2>/dev/null || true
        renew
        say "Taken out of the menu." "已从菜单中移除。"
    fi
    say "Chats, settings and models stay in $kept; $cache/Inkstone may be deleted at any time." \
        "对话、设置和模型保留在 $kept；$cache/Inkstone 随时可以删除。"
    say "Delete this folder ($here) to remove the program itself." \
        "删除这个文件夹（$here）即可移除程序本身。"
}

# An archive that was not unpacked whole, or a system without what Qt needs: nothing would happen at
# a double-click, so it is said here.
check() {
    if ! told=$("$here/inkstone" --version 2>&1); then
        say "Inkstone does not start from this folder, so nothing was added. Unpack the archive again, on a disk with 2 GB free. The system says:" \
            "Inkstone 无法从这个文件夹启动，所以没有添加任何内容。请在有 2 GB 空间的磁盘上重新解压。系统提示：" >&2
        printf '%s\n' "$told" | grep -v -e '^Traceback' -e '^ ' | head -n 1 >&2
        exit 1
    fi
    program=$here/program
    if [ -d "$here/current/program" ]; then program=$here/current/program; fi
    plugin=$program/_internal/PySide6/Qt/plugins/platforms/libqxcb.so
    missing=$(LD_LIBRARY_PATH=$program/_internal ldd "$plugin" 2>/dev/null |
        sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u | tr '\n' ' ')
    if [ "$missing" ]; then
        say "Its window needs libraries that this system lacks; install them with its package manager: $missing" \
            "它的窗口需要这个系统缺少的库，请用系统的包管理器安装：$missing" >&2
    fi
}

add() {
    check
    mkdir -p "$data/applications" "$data/mime/packages" "$data/icons" "$bin"
    for name in inkstone inkstone-window; do
        if [ -e "$bin/$name" ] && [ ! -L "$bin/$name" ]; then
            say "$bin/$name is another program: it stays as it is." "$bin/$name 是另一个程序：保留不动。" >&2
        else
            ln -sfn "$here/$name" "$bin/$name"
        fi
    done
    cp "$here/share/mime/packages/inkstone.xml" "$data/mime/packages/"
    cp -R "$here/share/icons/hicolor" "$data/icons/"
    replaced=$(printf '%s' "$command" | sed 's/[&|\\]/\\&/g')
    sed "s|^Exec=inkstone-window|Exec=$replaced|" "$here/share/applications/inkstone.desktop" >"$entry"
    printf 'TryExec=%s\n' "$(printf '%s' "$here/inkstone-window" | sed 's/\\/\\\\/g')" >>"$entry"
    renew
    say "$told is in the menu now, and has to stay in this folder ($here)." \
        "$told 已加入菜单；请让它留在这个文件夹（$here）。"
    case :$PATH: in
        *":$bin:"*) say "In a terminal: inkstone" "在终端里：inkstone" ;;
        *) say "In a terminal: $bin/inkstone" "在终端里：$bin/inkstone" ;;
    esac
}

case ${1:-} in
    '') add ;;
    --remove) remove ;;
    *)
        say "./install.sh adds Inkstone to your menu; ./install.sh --remove takes it away again." \
            "./install.sh 把 Inkstone 加入菜单；./install.sh --remove 将其移除。" >&2
        exit 2
        ;;
esac
