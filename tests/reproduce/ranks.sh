#!/usr/bin/env bash
# Arguments that differ on any number of ranks, with any number of values, come out.
set -u
. "$(dirname "$0")/common.bash"

# differs NAME STATUS CAUSE PATTERN CALL: ranks 2, 5, 6, 7 of 8 pass something else in the call.
differs() {
    local ending
    {
        echo 'scenario { ranks = 8 }'
        echo 'local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 128):fill(1)'
        echo 'local i, h = cuda.buffer("int32", 16):fill(1), cuda.buffer("float16", 16):fill(1)'
        echo "$5"
        echo 'stream:sync()'
    } >"$work/$1.lua"
    for ending in lua yaml; do
        status "$1, $ending" "$2" "$NCCLSCRIPT" run -q "$work/$1.lua" --record "$work/made.$ending"
        expect "$1, $ending" "$work/err" "its run ends as the record shows: $3\$"
        status "$1, $ending: run" 0 "$NCCLSCRIPT" run -q "$work/made.$ending"
    done
    expect "$1" "$work/made.lua" "$4"
}

differs operator 1 'wrong: op-mismatch, ranks 2, 5, 6, 7' \
    'op = \(rank == 2 or rank == 5\) and "max" or rank == 6 and "min" or rank == 7 and "prod" or "sum"' \
    'world:all_reduce(x, { op = ({ [2] = "max", [5] = "max", [6] = "min", [7] = "prod" })[rank] or "sum" })'
differs type 3 'hang: dtype-mismatch, ranks 2, 5, 6, 7' \
    'all_reduce\(\(rank == 2 or rank == 5\) and x_int32_16 or rank >= 6 and x_float16_16 or x_float32_16|and x_float16_16 or x_float32_16' \
    'world:all_reduce(({ [2] = i, [5] = i, [6] = h, [7] = h })[rank] or x)'
differs root 3 'hang: root-mismatch, ranks 2, 5, 6, 7' \
    'root = \(\{ \[2\] = 1, \[5\] = 4, \[6\] = 3, \[7\] = 7 \}\)\[rank\] or 0' \
    'world:broadcast(x, { root = ({ [2] = 1, [5] = 4, [6] = 3, [7] = 7 })[rank] or 0 })'
differs gather 3 'hang: root-mismatch, ranks 2, 5, 6, 7' \
    'gather\(x, \(rank == 0 or rank == 7\) and z or nil, \{ root = ' \
    'world:gather(x, y, { root = ({ [2] = 1, [5] = 4, [6] = 3, [7] = 7 })[rank] or 0 })'
differs scatter 3 'hang: root-mismatch, ranks 2, 5, 6, 7' \
    'scatter\(\(rank == 0 or rank == 7\) and x or nil, z, \{ root = ' \
    'world:scatter(y, x, { root = ({ [2] = 1, [5] = 4, [6] = 3, [7] = 7 })[rank] or 0 })'
differs count 3 'hang: count-mismatch, ranks 2, 5, 6, 7' \
    'count = \(\{ \[2\] = 1, \[5\] = 4, \[6\] = 3, \[7\] = 7 \}\)\[rank\] or 16' \
    'world:all_reduce(x, { count = ({ [2] = 1, [5] = 4, [6] = 3, [7] = 7 })[rank] or 16 })'

# Ranks of a call that take other communicators, with other counts and operators: YAML has a step for each communicator.
cat >"$work/split.lua" <<'EOF'
scenario { ranks = 8 }
local x, c = cuda.buffer("float32", 16):fill(1), {}
for i = 1, 6 do c[i] = world:split { color = 0, name = "c" .. i } end
local ops = { [1] = "max", [2] = "min", [3] = "prod", [4] = "avg", [5] = "max" }
c[rank % 6 + 1]:all_reduce(x, { op = ops[rank] or "sum", count = 1 + rank })
stream:sync()
EOF
for ending in lua yaml; do
    status "communicators, $ending" 3 "$NCCLSCRIPT" run -q "$work/split.lua" --record "$work/made.$ending"
    expect "communicators, $ending" "$work/err" 'its run ends as the record shows: hang: '
    status "communicators, $ending: run" 0 "$NCCLSCRIPT" run -q "$work/made.$ending"
done
expect "communicators" "$work/made.lua" '^\(\(\{ .*\[2\] = c3, .*\}\)\[rank\] or (world|c1)\):all_reduce|^;\('
expect "communicators" "$work/made.yaml" 'comm: c3 \}, where: "rank == 2"'

finish ranks
