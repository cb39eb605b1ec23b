#!/usr/bin/env bash
# Communicators may have names that the scenario uses for something else.
set -u
. "$(dirname "$0")/common.bash"

names='x y z s s2 x_32 z_float32_8 call call_1 comm comm_1 half float int8 null NULL end rank nranks world stream step print error C i n
No TRUE on _ _G repeat math cuda param'
{
    echo 'scenario { ranks = 2 }'
    echo 'local x, i = cuda.buffer("float32", 64):fill(0), cuda.buffer("int32", 64):fill(0)'
    echo 'local other = cuda.stream()'
    for name in $names; do
        echo "do local c = world:split { color = 0, name = \"$name\" }"
        echo "c:all_reduce(x, { label = \"$name\" })"
        echo "c:all_gather(i, { count = 32, label = \"a $name\" })"
        echo "c:all_reduce(x, { label = \"$name\", stream = other })"
        echo 'end'
    done
    echo 'for step = 1, 3 do'
    echo '  if not (step == 2 and rank == 1) then world:all_reduce(x) end'
    echo 'end'
    echo 'cuda.sync()'
} >"$work/names.lua"
for ending in lua yaml; do
    status "names, $ending" 3 "$NCCLSCRIPT" run -q "$work/names.lua" --record "$work/made.$ending"
    expect "names, $ending" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 1$'
    status "names, $ending: run" 0 "$NCCLSCRIPT" run -q "$work/made.$ending"
    status "names, $ending: check" 0 "$NCCLSCRIPT" check "$work/made.$ending"
done
for name in $names; do
    [ "$name" = world ] || expect "names" "$work/made.lua" "world:split \\{ color = 0, name = \"$name\" \\}"
done

# Each stream of a rank is one of the scenario.
{
    echo 'scenario { ranks = 2 }'
    echo 'local x, s = cuda.buffer("float32", 16):fill(0), {}'
    echo 'for k = 1, 9 do s[k] = cuda.stream() end'
    echo 'for k = 1, 9 do world:all_reduce(x, { stream = s[k] }) s[k]:sync() end'
    echo 'if rank == 0 then world:all_reduce(x, { stream = s[9] }) end'
    echo 's[9]:sync()'
} >"$work/streams.lua"
for ending in lua yaml; do
    status "streams, $ending" 3 "$NCCLSCRIPT" run -q "$work/streams.lua" --record "$work/made.$ending"
    expect "streams, $ending" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 1$'
    expect "streams, $ending" "$work/made.$ending" 'stream[:=]? ?=? ?s9'
    status "streams, $ending: run" 0 "$NCCLSCRIPT" run -q "$work/made.$ending"
done

finish names
