#!/usr/bin/env bash
# tests/gpu/once.sh, with drop-in libraries as the real ones: all parts agree, planted faults are in the table, what hangs
# or ends the process is ended, and what the time did not suffice for is named.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
build=$(dirname "$program")
libraries=$build/lib/ncclscript faulty=$build/tests/real/libfaulty_nccl.so
[[ -e $faulty && -e $libraries/libnccl.so.2 && -e $libraries/libncclscript-record.so ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
if grep -qaE '__asan_init|__tsan_init' "$program"; then echo "skipped: runs in real time, and preloads a library"; exit 77; fi
unset "${!NCCL_@}" "${!NCCLSCRIPT_@}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAIL $*"
    sed 's/^/    /' "$work/out/table.txt" | head -n 40
    failed=$((failed + 1))
}
once() { # STATUS LIBRARY OPTION...
    local want=$1 library=$2 got
    shift 2
    rm -rf "$work/out"
    timeout 500 bash tests/gpu/once.sh "$@" "$program" "$work/out" --nccl-lib "$library" \
        --cudart-lib "$libraries/libcudart.so.13" >"$work/said" 2>&1 </dev/null
    got=$?
    ((got == want)) || fail "once.sh $*: status $got, not $want"
}
has() { grep -qE -- "$1" "$work/out/table.txt" || fail "the table lacks: $1"; }

# Of the bugs as many as the time suffices for: each hang takes its time.
once 0 "$libraries/libnccl.so.2" -s 45 -t 10s
(($(ls "$work/out" | wc -l) <= 8)) || fail "more than 8 files"
has '^NCCL +[0-9.]+, .*libnccl.so.2$'
has '^arguments +[1-9][0-9]* +0 +0 +0 '
for part in scenarios record bench bugs; do has "^$part +[1-9][0-9]* +0 "; done

FAULT=answers once 1 "$faulty" -s 60 -t 1s -p arguments
has '^  arguments  ncclAllReduce with dtype 12: sim 4, NCCL 3$'
has '^  arguments  ncclAllReduce with dtype 255: sim 4, NCCL no answer: the program ended with status [0-9]+$'
has '^  arguments  ncclAllReduce with dtype -1: sim 4, NCCL no answer: the program ended with status [0-9]+$'

FAULT=max once 1 "$faulty" -s 60 -t 10s -p "scenarios reports"
has '^  scenarios  scenarios/basics/all_reduce.lua: verdict sim pass, nccl wrong;'
grep -q '^WRONG  scenarios/basics/all_reduce.lua' "$work/out/reports.txt" || fail "the reports lack the one of NCCL"
grep -q '^PASS  scenarios/basics/all_reduce.lua' "$work/out/reports.txt" || fail "the reports lack the simulator's"

once 1 "$libraries/libnccl.so.2" -s 0 -p "scenarios record"
has '^scenarios +0 +0 +0 +[1-9]'
has '^  scenarios  scenarios/basics/all_reduce.lua$'

((failed == 0))
