#!/usr/bin/env bash
# Driver nccl on libraries that do something wrong: what is wrong is told, and what is not is let be.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
build=$(dirname "$program")
faulty=$build/tests/real/libfaulty_nccl.so libraries=$build/lib/ncclscript
[[ -e $faulty && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0

# on FAULT STATUS WORDS ARGUMENT...: the exit status, and a text that the report has.
on() {
    local want=$2 words=$3 got
    export FAULT=$1
    shift 3
    timeout 60 "$program" run --driver nccl --nccl-lib "$faulty" \
        --cudart-lib "$libraries/libcudart.so.13" "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    ran=$((ran + 1))
    if [[ $got != "$want" ]] || ! grep -qF -- "$words" "$work/out"; then
        echo "FAULT=$FAULT run $*: status $got, expected $want and \"$words\":"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}

cat >"$work/two.lua" <<'S'
scenario { ranks = 3 }
local x, y = cuda.buffer("float32", 64):fill(rank + 1), cuda.buffer("int32", 64):fill(1)
world:all_reduce(x)
stream:sync()
world:all_reduce(y)
stream:sync()
S
on "" 0 "6 results verified" "$work/two.lua"
on flip 1 "rank 1  element 1: got 6.00004053, want 6; 1 of 64 differ" "$work/two.lua"
on flip 1 "element 1: got 85, want 3; 1 of 64 differ" "$work/two.lua"
on flip 0 "0 results verified" --no-verify "$work/two.lua"
on max 1 "rank 1  element 1: got 3, want 6; 64 of 64 differ" "$work/two.lua"
on max 1 "rank 2's contribution is missing" "$work/two.lua"

# In a group, in place, over two streams.
cat >"$work/group.lua" <<'S'
scenario { ranks = 2 }
local x, y = cuda.buffer("int32", 16):fill(rank + 1), cuda.buffer("int32", 16):fill(7)
local side = cuda.stream()
nccl.group(function()
  world:all_reduce(x, y)
  world:all_reduce(x, { stream = side })
end)
stream:sync()
side:sync()
S
on "" 0 "4 results verified" "$work/group.lua"
on max 1 "element 1: got 2, want 3; 16 of 16 differ" "$work/group.lua"

# Told at once, whatever the time limit, by every rank that waits; a script may deal with it.
on lost 4 "ncclRemoteError on world: socket closed by remote peer" --timeout 50s "$work/two.lua"
cat >"$work/caught.lua" <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 64):fill(1)
world:all_reduce(x)
stream:sync()
world:all_reduce(x)
local e = expect.error("ncclRemoteError", function() stream:sync() end)
expect.equal(e.code, 6)
expect.equal(e.call, "ncclCommGetAsyncError")
world:abort()
S
on lost 0 PASS --timeout 50s "$work/caught.lua"

# What the copies have no room for is counted, and whatever is wrong with it is not seen.
cat >"$work/large.lua" <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("uint8", 160 << 20):fill(1)
world:all_reduce(x)
world:all_reduce(x:part(0, 64))
stream:sync()
S
on flip 1 "2 results verified, 2 not" -v "$work/large.lua"

echo "$ran runs, $failed wrong"
((ran > 0 && failed == 0))
