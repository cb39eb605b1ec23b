#!/usr/bin/env bash
# Driver nccl end to end: scenarios on libraries of NCCL's and CUDA's shape that need no GPU, those of
# the simulator itself, which stand beside the binary. A program on them is as on real ones: ranks are
# threads, time is real, and nothing but the journal tells why a run stands still.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no libnccl.so.2 and libcudart.so.13 in $libraries"; exit 77; }
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0

# Sleeps for half a minute, or is about the virtual machine's own times, devices and versions, or about
# the last error, which is the process's: here of all ranks.
simulator_only='abort_from_thread check_pointers comm_config event_timing memory_kinds peer_access ranks_per_gpu_refused raw_streams
split_nonblocking'

# on STATUS WORDS ARGUMENT...: the exit status, and a text that the report has.
on() {
    local want=$1 words=$2 got
    shift 2
    timeout 60 "$program" run --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
        --cudart-lib "$libraries/libcudart.so.13" "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    ran=$((ran + 1))
    if [[ $got != "$want" ]] || ! grep -qF -- "$words" "$work/out"; then
        echo "run $*: status $got, expected $want and \"$words\":"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}

for file in scenarios/basics/*.lua scenarios/patterns/*.lua scenarios/patterns/*/*.lua; do
    [[ -e $file ]] || continue
    name=$(basename "$file" .lua)
    grep -qw -- "$name" <<<"$simulator_only" && continue
    on 0 PASS --timeout 20s "$file"
done
for name in skipped_call swapped_calls comm_order missing_group_end wrong_peer split_missing_rank livelock \
    callback_waits signal_one_short; do
    on 0 "hang as declared" --timeout 1s "scenarios/bugs/$name.lua"
done

# A wait for an event is for what the event stands for, on whatever stream.
for wait in 'side:wait(e) side:sync()' 'e:sync()'; do
    cat >"$work/event.lua" <<S
scenario { ranks = 2, outcome = { hang = { why = "skipped-call", culprit = 1, waiting = { 0 } } } }
local x, side, e = cuda.buffer("float32", 64):fill(1), cuda.stream(), cuda.event()
world:all_reduce(x)
stream:sync()
if rank == 0 then world:all_reduce(x) e:record(stream) $wait end
S
    on 0 "hang as declared" --timeout 1s "$work/event.lua"
done
# What the ranks disagree on and is carried out all the same.
for name in op_mismatch dtype_same_width overwritten_scalar in_place_offset; do
    on 0 "wrong as declared" "scenarios/bugs/$name.lua"
done

cat >"$work/init.lua" <<'S'
scenario { ranks = 2, world = false }
if rank == 0 then nccl.init_rank(2, nccl.unique_id(), 0) end
S
on 3 "rank 1  never joined" --timeout 1s "$work/init.lua" # nothing to abort it by: ends in the middle
on 3 "1 not run" --timeout 1s "$work/init.lua" scenarios/basics/ring.lua
on 77 "9 ranks need 9 GPUs, 8 are here" -n 9 scenarios/basics/ring.lua
NCCL_MULTI_RANK_GPU_ENABLE=1 on 0 PASS -n 9 scenarios/basics/ring.lua
cat >"$work/needs.lua" <<'S'
scenario { ranks = 2, needs = { gpus = 64 } }
S
on 77 "needs 64 GPUs" "$work/needs.lua"

echo "$ran runs on driver nccl, $failed wrong"
((ran > 0 && failed == 0))
