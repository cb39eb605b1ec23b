#!/usr/bin/env bash
# On a terminal the prompt edits lines, by libedit, which only a prompt opens: the program is not linked to it.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

readelf -d "$NCCLSCRIPT" | grep NEEDED | grep -q libedit && { echo "FAILED: each start loads libedit"; exit 1; }
grep -qa 'libedit\.so' "$NCCLSCRIPT" || { echo "built without libedit"; exit 77; }
command -v script >/dev/null || { echo "no script here"; exit 77; }
# Ctrl-A goes to the beginning of the line. A plain read would keep it as a character.
printf '+ 1\00141 \r:quit\r' |
    TERM=xterm NCCLSCRIPT_HISTORY=/dev/null timeout 60 script -qec "'$NCCLSCRIPT' repl -n 1" /dev/null >"$work/typed" 2>&1
grep -qE '^(.*\s)?42\s*$' "$work/typed" || fail "the line is not edited: $(cat -v "$work/typed")"
exit $failed
