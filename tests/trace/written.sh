#!/usr/bin/env bash
# What `run --dump` writes: `diagnose` finds in it what the run has found, and PyTorch's analyzer can read the dumps.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
here=$(dirname "$0")
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

python3 "$here/written.py" "$@" || failed=1

# Collectives of all kinds, sends and receives alone and in groups, parts of a communicator, an empty call.
cat >"$work/kinds.lua" <<'END'
scenario { ranks = 4 }
local x, all = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 256):fill(1)
local half = world:split { color = rank // 2 }
nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(cuda.buffer("float32", 64), (rank - 1) % nranks)
end)
world:all_reduce(x)
half:broadcast(x, { root = 1 })
nccl.group(function()
    half:all_reduce(x)
    half:reduce(x, { root = 0 })
end)
world:all_gather(x, all)
world:reduce_scatter(all, x)
world:all_to_all(all, cuda.buffer("float32", 256))
if rank == 0 then half:send(x, 1) elseif rank == 1 then half:recv(x, 0) end
world:all_reduce(cuda.buffer("bfloat16", 0))
if rank ~= 3 then world:all_reduce(x) end
stream:sync()
END
folders=()
dump() { # NAME SCENARIO STATUS
    local status
    "$program" run -q --dump fr "$work/$1" "$2" >"$work/out" 2>&1 </dev/null
    status=$?
    [ "$status" = "$3" ] || { echo "$2: status $status, expected $3"; cat "$work/out"; failed=1; }
    folders+=("$work/$1")
}
b=scenarios/bugs
cd "$here/../.." || exit 1
dump kinds "$work/kinds.lua" 3
dump count "$b/arguments/count_mismatch.lua[ranks=3,count=1,odd=2]" 0
dump order "$b/communicators/comm_order.lua[ranks=2,warm=false]" 0
dump ring "$b/p2p/ring_ungrouped.lua[ranks=3,dtype=float32,warm=false]" 0
dump killed "$b/ranks/rank_killed.lua[ranks=4,victim=last,call=5]" 0
# Dumps and logs show no split, destroy or abort that has not returned: where one may be it, the report says so.
for bug in early-destroy split-fewer; do
    for kind in fr log calls; do
        "$program" run -q --set "bug=$bug" --dump $kind "$work/$bug.$kind" tests/doors/program.lua >"$work/out" 2>&1
        "$program" diagnose "$work/$bug.$kind" >"$work/out" 2>&1
        grep -qE '^  or .*waits in a call that (no dump shows|leaves no line), as ncclCommSplit(,| or) ncclCommDestroy' "$work/out" ||
            { echo "$bug, $kind: not said what the record lacks"; cat "$work/out"; failed=1; }
    done
done
# A log has no places: parts of the same split show which of two ranks passed another type.
for kind in log calls; do
    "$program" run -q -n 4 --set bug=count --dump $kind "$work/count.$kind" tests/doors/program.lua >"$work/out" 2>&1
    "$program" diagnose "$work/count.$kind" >"$work/out" 2>&1
    grep -qE '^  fix .*: rank 2 \(.*\) is the odd one$' "$work/out" || { echo "count, $kind: another culprit"; cat "$work/out"; failed=1; }
    "$program" run -q --set bug=dtype --dump $kind "$work/dtype.$kind" tests/doors/program.lua >"$work/out" 2>&1
    "$program" diagnose "$work/dtype.$kind" >"$work/out" 2>&1
    grep -qE '^  fix .*: rank 5 \(.*\) is the odd one$' "$work/out" || { echo "dtype, $kind: another culprit"; cat "$work/out"; failed=1; }
done
python3 tests/trace/analyzer.py "${folders[@]}" || failed=1
exit $failed
