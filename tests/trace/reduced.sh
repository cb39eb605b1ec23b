#!/usr/bin/env bash
# The traces of cases.lua, and of the jobs of workloads/, in records that show less: none of them blames a rank that has
# done nothing wrong.
set -u
unset "${!NCCL_@}"
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
lua=$(command -v lua5.4 || command -v lua)
if [ -z "$lua" ] || ! "$lua" -e 'os.exit(_VERSION == "Lua 5.4")' || ! command -v python3 >/dev/null; then
    echo "skipped: no Lua 5.4 interpreter, or no python3"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
"$lua" "$here/make.lua" "$work" >"$work/table" || { echo "the traces cannot be made"; exit 1; }
NCCLSCRIPT=$program python3 "$here/reduced.py" "$work" "$@" || exit 1
NCCLSCRIPT=$program exec python3 "$here/reduced_jobs.py" "$work" "$@"
