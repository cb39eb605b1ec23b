#!/usr/bin/env bash
# `diagnose` has a limit of processor time: it says so when the limit is reached, and leaves a shorter one of the user's alone.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") work=$(mktemp -d) failed=0
trap 'exec 3>&-; rm -rf "$work"' EXIT
mkfifo "$work/pipe"
exec 3<>"$work/pipe"

# reads LIMIT: starts it. A pipe takes so many bytes only when somebody reads them. $! is the process, which waits for more.
reads() {
    (ulimit -St "$1"; exec "$program" diagnose /dev/stdin) <"$work/pipe" >"$work/out" 2>&1 &
    timeout 60 head -c 200000 /dev/zero >&3 || { echo "it does not read: $(cat "$work/out")"; exit 1; }
}

reads unlimited
grep -q '^Max cpu time  *600 ' "/proc/$!/limits" || { echo "no limit: $(grep cpu "/proc/$!/limits")"; failed=1; }
kill -XCPU $!
wait $!
status=$?
[ "$status" = 124 ] && grep -q '^ncclscript diagnose: given up after 10 minutes of processor time$' "$work/out" ||
    { echo "at the limit: exit status $status: $(cat "$work/out")"; failed=1; }
reads 50
grep -q '^Max cpu time  *50 ' "/proc/$!/limits" || { echo "a shorter limit is lost: $(grep cpu "/proc/$!/limits")"; failed=1; }
kill -KILL $!
wait $! 2>/dev/null
exit $failed
