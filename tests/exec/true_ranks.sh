#!/usr/bin/env bash
# A report numbers ranks as the program does, in whatever order its processes come, and names no other rank.
set -u
. tests/exec/common.bash
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export NCCLSCRIPT_QUIET=1

# What all orders must have in common: the report without the numbers of processes.
known() {
    sed -E 's/"pid": [0-9]+//g; /^  processes /d; s/"virtual_[a-z_]*": [0-9.e+-]*//g; s/"(trace|wall_seconds)": [^,}]*//g' "$out/stderr"
}

for mode in ring orders; do
    for format in text json; do
        first=
        for order in 0123 3210 2031; do
            run "$mode, $order, $format" 3 "${exec[@]}" --format $format -- "${clients}true_ranks" $mode $order
            leaves_out '(\b(ranks?|for)|"(rank|for|other_rank)":) \[?([0-9]+(, |-))*([4-9]|[0-9]{2})\b'
            [ -n "$first" ] || first=$(known)
            [ "$(known)" = "$first" ] || fail "$name: the answer depends on the order of the processes: $first"
        done
    done
done
run "the ring" 3 "${exec[@]}" -- "${clients}true_ranks" ring 1302
reports '^  why   each waits in call 3 on comm1 .*: 0 -> 3 -> 2 -> 1 -> 0$'

# A communicator that one thread has made, and another one whose ranks the threads have joined, have the same ranks.
for how in all group; do
    run "both, $how" 3 "${exec[@]}" -n 4 -- "${clients}both" $how
    leaves_out '\b(ranks?|for) ([0-9]+(, |-))*([4-9]|[0-9]{2})\b'
    reports '^    rank 2  never made call 1: waits in cudaStreamSynchronize\(\) '
    reports '^  why   rank 2 of comm1 \(device 2, thread [0-9]+\) made no call on comm2; ranks 0, 1, 3 made one '
done

finish "true ranks"
