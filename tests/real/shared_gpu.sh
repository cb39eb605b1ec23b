#!/usr/bin/env bash
# A free waits for all that runs on its GPU, and so for other ranks' kernels where ranks share one. A rank
# that is over, and only gives back its memory, is over all the same; one that is not waits for the others.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
build=$(dirname "$(realpath "$NCCLSCRIPT")")
faulty=$build/tests/real/libfaulty_nccl.so
[[ -e $faulty ]] || { echo "there is no $faulty"; exit 1; }
[[ ${TSAN_OPTIONS:-} ]] && { echo "skipped: threads are given up inside of calls: not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export FAULT=stuck CUDA_VISIBLE_DEVICES=0 NCCL_MULTI_RANK_GPU_ENABLE=1
failed=0

# on STATUS SCENARIO WORDS...: each of the words is in the report.
on() {
    local want=$1 scenario=$2 got words
    shift 2
    timeout 60 "$NCCLSCRIPT" run --driver nccl --nccl-lib "$faulty" --cudart-lib "$faulty" --timeout 1s \
        "$scenario" >"$work/out" 2>&1 </dev/null
    got=$?
    [[ $got == "$want" ]] || { echo "$scenario: status $got, expected $want"; failed=1; }
    for words in "$@"; do
        grep -qF -- "$words" "$work/out" || { echo "$scenario: not in the report: $words"; failed=1; }
    done
    ((failed == 0)) || cat "$work/out"
}

on 0 "scenarios/bugs/participants/skipped_call.lua[ranks=2,odd=0]" "hang as declared: skipped-call, rank 0"

cat >"$work/free.lua" <<'S'
scenario { ranks = 2 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8)
world:all_reduce(x)
stream:sync()
if rank == 1 then y:free() end
world:all_reduce(x)
stream:sync()
S
on 3 "$work/free.lua" "rank 0  waits in call 2 on world" "rank 1  waits behind these in x:free()"

# Every call has met its partners, and the GPU gets no further: the report says where the ranks are.
export FAULT=still
cat >"$work/still.lua" <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
S
on 3 "$work/still.lua" "every call that was made has its partners" "ranks 0, 1  in x:copy_from"

# Each rank's device is one that is there, though a declared host has eight.
export FAULT=
on 0 scenarios/bugs/lifecycle/fixed/same_device.lua "2 cases of 1 scenario: 2 as expected"
((failed == 0))
