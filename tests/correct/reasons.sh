#!/usr/bin/env bash
# Each reason for which a result is not verified, brought about: it is counted and named, and no other is.
# On the simulator, and with drop-in libraries as the real ones.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0

# reasons WANTED OPTION... <SCENARIO: by reason how many results, then how many were verified
reasons() {
    local want=$1 got
    shift
    cat >"$work/one.lua"
    got=$("$program" run --timeout 30s --format json "$@" "$work/one.lua" 2>"$work/err" </dev/null |
        jq -r '([.unverified[] | "\(.reason) \(.count)"] + ["verified \(.checked)"]) | join(", ")')
    ran=$((ran + 1))
    [[ $got == "$want" ]] && return
    failed=$((failed + 1))
    echo "got $got, want $want, of run $*:"
    cat "$work/one.lua" "$work/err"
}

both='scenario { ranks = 2 }
local x = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)'
reasons "verification-off 2, verified 0" --no-verify <<<"$both
world:all_reduce(x)
stream:sync()"
reasons "not-asked 1, verified 1" <<<"$both
world:all_reduce(x, { verify = rank == 0 })
stream:sync()"
reasons "ranks-disagree 2, verified 0" <<<"$both
world:all_reduce(x, { op = rank == 0 and 'sum' or 'max' })
stream:sync()"
reasons "ranks-disagree 1, verified 0" <<<"$both
if rank == 0 then world:send(x, 1) else world:recv(x:slice(1, 4), 0) end
stream:sync()"
reasons "ambiguous-window 1, verified 0" <<<"$both
local first, second
nccl.group(function()
  first = world:window(x, { symmetric = true })
  second = world:window(x, { symmetric = true })
end)
if rank == 0 then world:put_signal(x:slice(1, 2), 1, first, { first = 3 }) else world:wait_signal(0) end
stream:sync()"

if [[ ${TSAN_OPTIONS:-} || ! -e $libraries/libnccl.so.2 || ! -e $libraries/libcudart.so.13 ]]; then
    echo "$ran reasons on the simulator, $failed failed; none with drop-in libraries here"
    exit $((failed > 0))
fi
real=(--driver nccl --nccl-lib "$libraries/libnccl.so.2" --cudart-lib "$libraries/libcudart.so.13")
reasons "verification-off 2, verified 0" --no-verify "${real[@]}" <<<"$both
world:all_reduce(x)
stream:sync()"
reasons "put-on-real-nccl 1, verified 0" "${real[@]}" <<<"$both
local window = world:window(x, { symmetric = true })
if rank == 0 then world:put_signal(x:slice(1, 2), 1, window, { first = 3 }) else world:wait_signal(0) end
stream:sync()"
reasons "no-room 2, verified 2" "${real[@]}" <<<"$both
local large = cuda.buffer('uint8', 150 << 20):fill(1)
world:all_reduce(large)
world:all_reduce(x)
stream:sync()"
reasons "too-many-copies 260, verified 0" "${real[@]}" <<<"$both
nccl.group(function() for _ = 1, 130 do world:all_reduce(x) end end)
stream:sync()"
reasons "copy-refused 2, verified 2" "${real[@]}" <<<"$both
C.cudaSetDevice(99) -- its error is not asked for
world:all_reduce(x)
cuda.last_error()
world:all_reduce(x)
stream:sync()"
polled='scenario { ranks = 2, world = { blocking = false } }
world:wait_ready()
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)'
reasons "verified 2" "${real[@]}" <<<"$polled
world:wait_ready()
stream:sync()"
reasons "call-in-progress 2, verified 2" "${real[@]}" <<<"$polled
sleep(0.01)
while C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, world, stream) == C.ncclInvalidArgument do
  sleep(0.1)
end
world:wait_ready()
stream:sync()"
echo "$ran reasons, $failed failed"
((failed == 0))
