#!/usr/bin/env bash
# Several starts of a job in one folder: the newest one counts, and a note names the recordings of the others.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
unset "${!NCCLSCRIPT_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
job=$(dirname "$NCCLSCRIPT")/tests/record/record_job
ldd "$job" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
export NCCLSCRIPT_QUIET=1

fail() {
    printf 'FAIL %s\n' "$1"
    sed 's/^/    /' "$out/said" 2>/dev/null
    failures=$((failures + 1))
}
begin() { name=$1; rm -rf "$out/rec"; }
says() { grep -qE -- "$1" "$out/said" || fail "$name: lacks: $1"; }
leaves_out() { ! grep -qE -- "$1" "$out/said" || fail "$name: has: $1"; }
diagnose() {
    "$NCCLSCRIPT" diagnose "$out/rec" >"$out/said" 2>&1
    local got=$?
    [ "$got" -eq "$1" ] || fail "$name: exit status $got, not $1"
}
# start ID RANKS ENVIRONMENT... -- STEP...: all ranks of one start, one process each.
start() {
    local id=$1 ranks=$2 rank variables=()
    shift 2
    while [ "$1" != -- ]; do variables+=("$1"); shift; done
    shift
    for ((rank = 0; rank < ranks; rank++)); do
        env STAND_IN_ID="$id" RANK=$rank WORLD_SIZE="$ranks" "${variables[@]}" "$NCCLSCRIPT" record -o "$out/rec" -- "$job" "$@"
    done
}

begin "two starts"
start 1 2 -- join reduce 3
start 2 2 -- join reduce 4
diagnose 0
says '2 ranks, recordings: nothing wrong found in 8 calls'
says 'note +2 recordings of an earlier start are left out: .*ncclrec, .*ncclrec; .* is a newer recording of a rank that '

begin "two starts with one id, as NCCL_COMM_ID makes them"
start 1 3 -- join reduce 3
start 1 3 -- join reduce 4
diagnose 0
says '3 ranks, recordings: nothing wrong found in 12 calls'
says '3 recordings of an earlier start are left out'

begin "three starts"
for id in 1 2 3; do start $id 2 -- join reduce $id; done
diagnose 0
says 'nothing wrong found in 6 calls'
says '4 recordings of an earlier start .* and 1 other;'

begin "a rank that the newest start lacks"
start 1 3 -- join reduce 3
start 2 3 -- '!1:join' '!1:reduce' 4
diagnose 0
says 'rank 1 left no recording'
says '3 recordings of an earlier start are left out'

begin "fewer ranks than before, as after an elastic restart"
start 1 4 -- join reduce 3
start 2 3 -- join reduce 4
diagnose 0
says '3 ranks, recordings: nothing wrong found in 12 calls'
says '4 recordings of an earlier start are left out'

begin "more ranks than before"
start 1 3 -- join reduce 3
start 2 4 -- join reduce 4
diagnose 0
says '4 ranks, recordings: nothing wrong found in 16 calls'

begin "ranks in other places than before"
start 1 3 -- 0:id '!0:join' '!0:reduce' 3
start 2 4 -- '!0:join' '!0:reduce' 4
diagnose 0
says '4 ranks'
says 'rank 0 left no recording'
says 'its launcher has started 4 ranks, not 3'

begin "all ranks in one process"
STAND_IN_ID=1 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" ranks 4
STAND_IN_ID=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" ranks 4
diagnose 0
says '4 ranks, recordings: nothing wrong found in 12 calls'
says '1 recording of an earlier start is left out'

begin "all ranks in one process, fewer than before, with one id"
STAND_IN_ID=1 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" ranks 4
STAND_IN_ID=1 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" ranks 3
diagnose 0
says '3 ranks, recordings: nothing wrong found in 9 calls'
says '1 recording of an earlier start is left out'

begin "from processes with one rank to a process with all"
start 1 4 -- join reduce 5
STAND_IN_ID=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" ranks 4
diagnose 0
says '4 ranks, recordings: nothing wrong found in 12 calls'
says '4 recordings of an earlier start are left out'

begin "no launcher"
for id in 1 2; do
    for rank in 0 1 2; do
        STAND_IN_ID=$id JOB_RANK=$rank JOB_SIZE=3 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce $id
    done
done
diagnose 0
says '3 ranks, recordings: nothing wrong found in 6 calls'
says '3 recordings of an earlier start'

begin "ranks by the communicator, of two starts"
for id in 1 2; do
    for rank in 0 1; do
        STAND_IN_ID=$id SLURM_PROCID=0 JOB_RANK=$rank JOB_SIZE=2 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce $id
    done
done
diagnose 0
says '2 ranks, recordings: nothing wrong found in 4 calls'
says '2 recordings of an earlier start'

begin "a child that joins nothing"
RANK=0 WORLD_SIZE=1 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 5
RANK=0 WORLD_SIZE=1 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" id
diagnose 0
says 'nothing wrong found in 5 calls'
says '1 recording is left out, as its process has joined no communicator: 0@'

begin "a rank that only made an id"
start 1 3 -- '1:id' '!1:join' '!1:reduce' 2
diagnose 0
says '3 ranks, recordings: nothing wrong found in 4 calls'
leaves_out 'left out|left no recording'

begin "one start, with an id for each rank"
for rank in 0 1 2; do
    STAND_IN_ID=$rank RANK=$rank WORLD_SIZE=3 "$NCCLSCRIPT" record -o "$out/rec" -- "$job" join reduce 2
done
diagnose 0
says '3 ranks'
leaves_out 'left out'

[ "$failures" -eq 0 ]
