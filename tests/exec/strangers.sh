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
# Memory that shrinks would end the machine; of requests that no library makes, none is carried out.
run "memory" 0 "${exec[@]}" --processes many -- "${clients}hostile" shrink "${clients}processes" right 3
says '^open memory is refused$'
says '^sealed memory is taken$'
run "requests" 0 "${exec[@]}" --processes many -- "${clients}hostile" requests "${clients}processes" right 3
says '^39 requests, 0 calls made$'
says '^rank 2 of 3: ok$'
reports 'a request of process [0-9]+ was refused'
[ "$(grep -c 'was refused' "$out/stderr")" = 1 ] || fail "requests: one line for each process"
finish "strangers"
