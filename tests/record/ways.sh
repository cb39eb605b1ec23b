#!/usr/bin/env bash
# One job, started as threads, as one thread and as processes, with communicators of a split, of a split of a split, of a shrink, and
# of all ranks in another order: the recording has the ranks of the job and no others, and a hang is never called a pass.
set -u
[ -z "${TSAN_OPTIONS:-}" ] || { echo "skipped: the recorder has no room for ThreadSanitizer"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
unset "${!NCCLSCRIPT_@}" "${!NCCL_@}" RANK WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID
libraries=$(dirname "$NCCLSCRIPT")/lib/ncclscript
ldd "$libraries/libncclscript-sim.so" | grep -qE 'lib(clang_rt\.)?[at]san' &&
    { echo "skipped: a sanitizer's runtime must come before a preloaded library"; exit 77; }
program=$(dirname "$NCCLSCRIPT")/tests/exec/exec_ways
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
export NCCLSCRIPT_QUIET=1

fail() {
    printf 'FAIL %s: %s\n' "$name" "$1"
    sed 's/^/    /' "$out/said"
    failures=$((failures + 1))
}

# see WAY MISTAKE STATUS: runs and diagnoses. No report may name a rank that the job lacks.
see() {
    name="$1 $2"
    rm -rf "$out/rec"
    case $1 in
    fork) timeout 60 "$NCCLSCRIPT" exec -n 4 --processes many --stall 1h -- "$NCCLSCRIPT" record -o "$out/rec" -- "$program" "$1" "$2" ;;
    *) LD_LIBRARY_PATH=$libraries NCCLSCRIPT_GPUS=4 timeout 60 "$NCCLSCRIPT" record -o "$out/rec" -- "$program" "$1" "$2" ;;
    esac >"$out/ran" 2>&1
    "$NCCLSCRIPT" diagnose -v "$out/rec" >"$out/said" 2>&1
    local got=$?
    [ "$got" -eq "$3" ] || fail "exit status $got, not $3"
    grep -q ' 4 ranks, recordings' "$out/said" || fail "another number of ranks"
    grep -qE 'ranks? ([0-9., -]*[ .])?([4-9]|[1-9][0-9])( |,|:|;|$)|process [1-9]' "$out/said" && fail "a rank that the job lacks"
    "$NCCLSCRIPT" diagnose --format json "$out/rec" >"$out/json" 2>/dev/null
    jq -e '[.. | .rank? | numbers | select(. > 3)] == []' "$out/json" >/dev/null || fail "a rank in the JSON that the job lacks"
    [ "$3" -eq 0 ] || jq -e '.certainty == "likely"' "$out/json" >/dev/null || fail "certain"
}
why() { grep -qE "^  why +$1" "$out/said" || fail "lacks: $1"; }

for way in threads all group one null fork; do
    see $way none 0
    see $way rest 3
    why 'rank 2 .*(comm1/shrink1|ways\.c|\+0x)'
    see $way early 3
    why 'rank 2 .*destroyed comm1/split1\.1'
    see $way last 3
done
# A helper makes all calls at one line, so a wrong communicator is as good a reading.
for way in threads all group fork; do
    see $way skip 3
    grep -qE '^  (why|or) +.*rank 2 made no call on comm1/split1\.1; rank 3 made one' "$out/said" || fail "the skip is not named"
    see $way last 3
    why 'rank 2 '
done

# The end of a group waits for the rank that has made no call of it.
for way in one null; do
    see $way split 3
    why 'rank 2 .*never called ncclCommSplit on comm1'
done

# That a rank has not joined is known, whether it left a recording or not.
for way in threads fork; do
    see $way join 3
    why '3 of 4 ranks joined comm1 with ncclCommInitRank, rank 2 did not'
done

# A destroy waits for the ranks of other processes.
see fork stays 3
why 'rank 2 has not destroyed [^ ]+; ranks? [0-9, ]+ waits? for that in ncclCommDestroy'
jq -e '[.findings[] | select(.level == "error") | .culprits[].rank] | unique == [2]' "$out/json" >/dev/null || fail "another culprit"

[ "$failures" -eq 0 ]
