#!/usr/bin/env bash
# A scenario loads however many objects and places it has: Lua allows 200 local variables. A text that the loader refuses is not
# written.
set -u
. "$(dirname "$0")/common.bash"

# loads NAME: what is recorded of $work/NAME.lua ends as the record shows and passes `check`, in Lua and YAML.
loads() {
    local ending
    for ending in lua yaml; do
        status "$1, $ending" 3 "$NCCLSCRIPT" run -q "$work/$1.lua" --record "$work/$1.made.$ending"
        expect "$1, $ending" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 2$'
        status "$1, $ending: run" 0 "$NCCLSCRIPT" run -q "$work/$1.made.$ending"
        status "$1, $ending: check" 0 "$NCCLSCRIPT" check "$work/$1.made.$ending"
    done
}

{
    echo 'scenario { ranks = 4 }'
    echo 'local x = cuda.buffer("float32", 4096):fill(0)'
    echo 'for i = 1, 300 do world:all_reduce(x, { count = 20 + i }) end'
    echo 'if rank ~= 2 then world:all_reduce(x) end'
    echo 'stream:sync()'
} >"$work/counts.lua"
loads counts
expect "counts" "$work/counts.made.lua" '^local x, z = \{\}, \{\}$'
expect "counts" "$work/counts.made.lua" '^x\[24\] = cuda\.buffer\("float32", 24\)$'

{
    echo 'scenario { ranks = 4 }'
    echo 'local x, comm = cuda.buffer("float32", 16):fill(0), {}'
    echo 'for i = 1, 300 do comm[i] = world:split { color = rank // (1 + i % 4), name = "c" .. i } end'
    echo 'for i = 1, 300 do comm[i]:all_reduce(x) end'
    echo 'if rank ~= 2 then world:all_reduce(x) end'
    echo 'stream:sync()'
} >"$work/comms.lua"
loads comms
expect "comms" "$work/comms.made.lua" '^comm\.c300 = world:split \{ color = rank, name = "c300" \}$|^comm\.c300 = world:split'
expect "comms" "$work/comms.made.lua" '^comm\.c300:all_reduce\(x, '

# Places that come twice become functions.
{
    echo 'scenario { ranks = 4 }'
    echo 'local x = cuda.buffer("float32", 16):fill(0)'
    for round in 1 2; do
        for i in $(seq 300); do echo "world:all_reduce(x, { label = \"place $i\" })"; done
        echo "world:all_gather(x, { count = 4, label = \"round $round\" })"
    done
    echo 'if rank ~= 2 then world:all_reduce(x) end'
    echo 'stream:sync()'
} >"$work/places.lua"
loads places
expect "places" "$work/places.made.lua" '^call\[300\] = function\(\)$'

# Small ones keep their locals.
{
    echo 'scenario { ranks = 4 }'
    echo 'local x = cuda.buffer("float32", 64):fill(0)'
    echo 'for i = 1, 30 do world:all_reduce(x, { count = 20 + i }) end'
    echo 'if rank ~= 2 then world:all_reduce(x) end'
    echo 'stream:sync()'
} >"$work/small.lua"
loads small
expect "small" "$work/small.made.lua" '^local x_24 = cuda\.buffer\("float32", 24\)$'

# A run whose first calls the journal has dropped: what is written begins at calls that all ranks have.
{
    echo 'scenario { ranks = 2 }'
    echo 'local x = cuda.buffer("float32", 64):fill(0)'
    echo 'local peer = 1 - rank'
    echo 'for i = 1, 60000 do'
    echo '  local o = { count = 1 + i % 7 }'
    echo '  world:all_reduce(x, o)'
    echo '  nccl.group(function() world:send(x, peer, o) world:recv(x, peer, o) end)'
    echo 'end'
    echo 'if rank == 0 then world:all_reduce(x) end'
    echo 'stream:sync()'
} >"$work/dropped.lua"
status "dropped calls" 3 "$NCCLSCRIPT" run -q "$work/dropped.lua" --record "$work/dropped.made.lua"
expect "dropped calls" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 1; the first calls are missing: '
expect "dropped calls" "$work/dropped.made.lua" '^-- Note: the first [0-9]+ calls are missing, and those that meet them'
status "dropped calls: run" 0 "$NCCLSCRIPT" run -q "$work/dropped.made.lua"
# An exchange may be cut between its two messages; a collective is there for both ranks, but for the last one.
alone=$(awk '/^ *if rank [=~]= [01] then$/ { inside = 1 } inside && /:all_reduce\(/ { n++ } /^ *end$/ { inside = 0 } END { print n + 0 }' "$work/dropped.made.lua")
[ "$alone" = 1 ] || fail "dropped calls: the ranks begin at different calls"
# Wherever the record begins on each rank, no call that it lacks is taken for one that was left out.
for syncs in 1 2 3 4; do
    sed "3r /dev/stdin" "$work/dropped.lua" >"$work/phase.lua" < <(for i in $(seq $syncs); do echo "if rank == $((i % 2)) then stream:sync() end"; done)
    status "dropped calls, $syncs" 3 "$NCCLSCRIPT" run -q "$work/phase.lua"
    expect "dropped calls, $syncs" "$work/out" '^    rank 1  never made call 180001: finished '
done

# A scenario may have 16 MiB.
{
    echo 'scenario { ranks = 2 }'
    echo 'local x = cuda.buffer("float32", 64):fill(0)'
    echo 'for i = 1, 300 do world:all_reduce(x, { count = 1 + i % 60, label = string.rep("a", 60000) .. i }) end'
} >"$work/long.lua"
for ending in lua yaml; do
    echo "what was there" >"$work/long.made.$ending"
    status "too long, $ending" 74 "$NCCLSCRIPT" run -q "$work/long.lua" --record "$work/long.made.$ending"
    expect "too long, $ending" "$work/err" 'made\..*: error: ncclscript cannot read the scenario that it wrote, so nothing was written: '
    expect "too long, $ending" "$work/long.made.$ending" '^what was there$'
done

finish limits
