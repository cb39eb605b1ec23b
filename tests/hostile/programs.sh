#!/usr/bin/env bash
# Programs with hostile symbols and debug information: `exec` reads them to find the lines of a hang, and reports the hang in any case.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "left out: there is no python3"; exit 77; }
program=${NCCLSCRIPT%/*}/tests/exec/exec_hang
[ -x "$program" ] || { echo "left out: there is no $program"; exit 77; }
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/programs.py" "$NCCLSCRIPT" "$program"
