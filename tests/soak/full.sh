#!/usr/bin/env bash
# Full file systems: /dev/shm, the folder of temporary files and the one of the output. The result is the same, or the output is
# missing with a text and a status (74; 2 where --help says so). It needs a mount namespace of its own.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
if grep -qaE "__asan_init|__tsan_init" "$NCCLSCRIPT"; then echo "left out: a sanitizer writes files of its own"; exit 77; fi
if [ "${1:-}" != inside ]; then
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    for way in "-m" "-m -U -r"; do
        unshare $way mount -t tmpfs -o size=8k none "$work" 2>/dev/null || continue
        FULL_WORK=$work unshare $way bash "$0" inside
        exit
    done
    echo "left out: no file system can be mounted here"
    exit 77
fi
mkdir "$FULL_WORK/full" || exit 1
for folder in /dev/shm "$FULL_WORK/full"; do
    mount -t tmpfs -o size=8k none "$folder" || exit 1
    head -c 8192 /dev/zero >"$folder/room"
done
full=$FULL_WORK/full bug='scenarios/bugs/order/moved_call.lua[ranks=3,odd=0]' failed=0
client=$(dirname "$NCCLSCRIPT")/tests/exec/exec_soak
export HOME=$FULL_WORK NCCLSCRIPT_QUIET=1 LC_ALL=C

# ends STATUS TEXT COMMAND...: its status, and a text on standard error; "" = none.
ends() {
    local status=$1 text=$2
    shift 2
    "$@" >"$FULL_WORK/out" 2>"$FULL_WORK/err"
    local got=$?
    [ $got -eq "$status" ] && { [ -z "$text" ] || grep -q "$text" "$FULL_WORK/err"; } && return
    failed=1
    printf 'FAIL %s: status %d, not %d\n' "$*" $got "$status"
    tail -n 5 "$FULL_WORK/out" "$FULL_WORK/err"
}

export TMPDIR=$full
ends 0 "" "$NCCLSCRIPT" run "$bug"
ends 0 "" "$NCCLSCRIPT" run -j 2 scenarios/basics
ends 74 "cannot be written: No space" "$NCCLSCRIPT" run --html "$full/page.html" "$bug"
ends 74 "cannot be written: No space" "$NCCLSCRIPT" run --dump fr "$full/dump" "$bug"
ends 2 "cannot be written: No space" "$NCCLSCRIPT" shrink -o "$full/small.lua" "$bug"
"$NCCLSCRIPT" run --dump fr "$FULL_WORK/dump" "$bug" >"$FULL_WORK/out" 2>&1
ends 3 "" "$NCCLSCRIPT" diagnose "$FULL_WORK/dump"
ends 74 "cannot be written: No space" "$NCCLSCRIPT" diagnose --html "$full/page.html" "$FULL_WORK/dump"
if [ -x "$client" ]; then
    ends 0 "" "$NCCLSCRIPT" exec -- "$client" 2 10 1
    ends 0 "" "$NCCLSCRIPT" exec -- "$client" 2 10 1 fork
    ends 74 "cannot be written: No space" "$NCCLSCRIPT" exec --html "$full/page.html" -- "$(dirname "$client")/exec_hang"
    ends 2 "the disk has 0 KiB left" env LD_LIBRARY_PATH="$(dirname "$NCCLSCRIPT")/lib/ncclscript" \
        "$NCCLSCRIPT" record -o "$full/recording" -- "$client" 2 10 1
fi
left=$(find "$full" -type f ! -name room)
[ -z "$left" ] || { echo "left half-written: $left"; failed=1; }
exit $failed
