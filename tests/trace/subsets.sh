#!/usr/bin/env bash
# Parts of what hung jobs leave, drawn at random: none of them is a pass, and none accuses another rank without a doubt.
# NCCLSCRIPT_SUBSETS=10000 draws so many, of more jobs; -v names each, and keeps what is complained of.
set -u
unset "${!NCCL_@}" # the simulator heeds them
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
lua=$(command -v lua5.4 || command -v lua)
if [ -z "$lua" ] || ! "$lua" -e 'os.exit(_VERSION == "Lua 5.4")' || ! command -v python3 >/dev/null; then
    echo "skipped: no Lua 5.4 interpreter, or no python3"
    exit 77
fi
work=${NCCLSCRIPT_KEEP:-$(mktemp -d)} || exit 1
[[ ${NCCLSCRIPT_KEEP:-} ]] || trap 'rm -rf "$work"' EXIT
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
"$lua" "$here/make.lua" "$work" >"$work/table" || { echo "the traces cannot be made"; exit 1; }
NCCLSCRIPT=$program python3 "$here/subsets.py" "$work" "$@"
