#!/usr/bin/env bash
# An all-to-all of all ranks moves as one, and a run with it is event for event the run in which each message has a meeting
# of its own. The traces were recorded when all had one. What opens the all-to-all, and when, must not change them.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# traced RANKS TRACE WHAT LINE...: the lines come after the making of buffers.
traced() {
    local ranks=$1 want=$2 what=$3 got
    shift 3
    {
        echo "scenario { ranks = $ranks }"
        echo 'local s, d = cuda.buffer("float32", 4 * nranks), cuda.buffer("float32", 4 * nranks)'
        echo 'local t, other = cuda.buffer("float32", 4 * nranks), cuda.stream()'
        echo 's:fill(rank + 1)'
        printf '%s\n' "$@"
    } >"$work/a.lua"
    got=$("$NCCLSCRIPT" run -v "$work/a.lua" | sed -n 's/^  trace \([0-9a-f]*\),.*/\1/p')
    [[ $got = "$want" ]] && return
    echo "$what: trace $got, not $want"
    failed=1
}

all='world:all_to_all(s, d)'
traced 5 c1a114f26f74bf54 'all ranks' "$all" 'stream:sync()'
traced 5 25e8f0b0060e76d9 'twice, in place' "$all" 'world:all_to_all(s, s)' 'stream:sync()'
traced 5 ad41c0b7b40f418a 'a rank is missing' "if rank ~= 3 then $all end" 'stream:sync()'
traced 5 e05045acbf2681af 'a rank comes later' 'if rank == 3 then t:fill(1) end' "$all" 'stream:sync()'
traced 5 2be60e9f3eab1902 'a rank polls' "$all" 'while rank == 1 and not stream:query() do end' 'stream:sync()'
traced 5 b17f845f3c9f49ef 'counts differ' "world:all_to_all(s, d, { count = rank == 2 and 2 or 4 })" 'stream:sync()'
traced 5 6799077330f88042 'messages beside it' "$all" 'if rank == 0 then world:send(s:slice(1, 2), 1) end' \
    'if rank == 1 then world:recv(t:slice(1, 2), 0) end' "$all" 'stream:sync()'
traced 5 e12b3a344bd4a84c 'a rank has a group' "if rank ~= 1 then $all world:all_to_all(s, t) end" \
    "if rank == 1 then nccl.group(function() $all world:all_to_all(s, t) end) end" 'stream:sync()'
traced 5 668e475890910e87 'memory that nothing has written' 'world:all_to_all(t, d)' 'stream:sync()' 'world:all_reduce(d)' 'stream:sync()'
traced 5 8128d1725ddf632d 'freed meanwhile' 'if rank == 4 then spawn(function() sleep(0.000015) t:free() end) end' \
    'world:all_to_all(s, t, { stream = other })' 'other:sync()'
traced 5 ad41c0b7b40f418a 'an abort meanwhile' "if rank ~= 3 then $all end" 'if rank == 2 then world:abort() end' 'stream:sync()'
traced 5 bf6bd369e7ed94e6 'a captured one' 'local g = cuda.graph(other, function() world:all_to_all(s, d, { stream = other }) end)' \
    'g:launch(other)' 'other:sync()'
traced 70 ccb809e63bf3c2ac 'many ranks' "$all" 'world:all_reduce(s)' "$all" 'stream:sync()'
exit $failed
