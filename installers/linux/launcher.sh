#!/bin/sh
# Starts the program from wherever its folder lies; the file's name says which of its two forms.
# An update lies in `current`; without one it is what the archive brought.
here=$(dirname -- "$(readlink -f -- "$0")")
name=$(basename -- "$0")
[ -x "$here/current/program/$name" ] && exec "$here/current/program/$name" "$@"
exec "$here/program/$name" "$@"
