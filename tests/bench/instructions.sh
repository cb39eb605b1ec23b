#!/usr/bin/env bash
# What a step costs in instructions, which depend on no clock and no neighbour: fails when a step costs more
# than its bound. A step's cost is the difference of two runs that do it less and more often. The bounds are
# those of gcc 12 at -O2 on x86-64, with a tenth to spare: lower them along with the cost.
set -u
. "$(dirname "$0")/count.bash"
grep -q 'CMAKE_BUILD_TYPE:STRING=RelWithDebInfo' "$(dirname "$NCCLSCRIPT")/CMakeCache.txt" 2>/dev/null &&
    grep -q 'CMAKE_C_COMPILER:[A-Z]*=.*gcc\|CMAKE_C_COMPILER:[A-Z]*=.*/cc$' "$(dirname "$NCCLSCRIPT")/CMakeCache.txt" ||
    { echo "the bounds are those of gcc at -O2"; exit 77; }

# step NAME BOUND STEPS LESS MORE: arguments of both runs, which differ by STEPS steps.
step() {
    local less more cost
    less=$(count $4) && more=$(count $5) && [[ $less && $more ]] || { failed=1; return; }
    cost=$(((more - less) / $3))
    printf '%-62s %7d of at most %7d\n' "$1" "$cost" "$2"
    ((cost <= $2)) || failed=1
}

loop=$here/loop.lua
step "a rank's all-reduce and sync from Lua, verified" 21300 2400 \
    "run --set times=20 $loop" "run --set times=320 $loop"
step "the same, not verified" 19300 2400 \
    "run --no-verify --set times=20 $loop" "run --no-verify --set times=320 $loop"
step "a rank's all-reduce and sync from C, beneath the journal" 7100 4800 \
    "bench all_reduce -b 8 -e 8 -c 0 -w 0 -z 2 -n 20" "bench all_reduce -b 8 -e 8 -c 0 -w 0 -z 2 -n 320"
step "a rank that is made, does nothing and ends" 230000 200 \
    "run -n 56 $here/nothing.lua" "run -n 256 $here/nothing.lua"
exit $failed
