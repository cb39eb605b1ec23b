#!/usr/bin/env bash
# Graphs in an unmodified program: captured, launched, verified, and diagnosed with the lines of call and launch.
set -u
. tests/exec/common.bash
export NCCLSCRIPT_QUIET=1
in_graphs='(tests/exec/graphs\.c:[0-9]+|[a-z_]+\+0x[0-9a-f]+)'

for policy in strict typical; do
    run "graphs, $policy" 0 "${exec[@]}" -n 4 --policy $policy -- "${clients}graphs"
    says '^graphs: 2 launches$'
    silent
done
run "verified" 0 "${exec[@]}" -n 4 --verify -- "${clients}graphs"
run "one launch less" 3 "${exec[@]}" -n 4 --patience 2s -- "${clients}graphs" less
reports '^HANG '
reports '^  why   rank 2 of comm1 \(device 2\) made 5 calls on comm1; ranks 0, 1, 3 made 10: call 6 is at '"$in_graphs"
reports 'is in a graph that '
finish "graphs"
