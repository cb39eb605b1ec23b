#!/usr/bin/env bash
# Whoever connects to a job without belonging to it holds nobody up, and costs the machine nothing that stays.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1
here=$PWD
for mode in silent hangs_up short two; do
    run "$mode: a right program" 0 "${exec[@]}" -- python3 "$here/tests/exec/strangers.py" $mode "${clients}processes" right 3
    says '^rank 2 of 3: ok$'
    [ $mode != two ] || says '^descriptors: the same$'
    run "$mode: a hang" 3 "${exec[@]}" -- python3 "$here/tests/exec/strangers.py" $mode "${clients}processes" skip 3
    reports '^HANG '
done
run "silent: a time limit" 124 "${exec[@]}" --timeout 3s --stall 1h -- \
    python3 "$here/tests/exec/strangers.py" silent "${clients}processes" waits_outside 3
finish "strangers"
