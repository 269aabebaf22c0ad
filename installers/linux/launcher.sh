#!/bin/sh
# Starts the program from wherever its folder lies; the file's name says which of its two forms.
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/program/$(basename -- "$0")" "$@"
