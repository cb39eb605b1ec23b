#!/usr/bin/env bash
# Variables of one rank only, on "real" libraries: set in the process of that rank, refused for one of several ranks of a process.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/job/common.bash
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
cat >"$work/own.lua" <<'LUA'
scenario { ranks = 2, env = { NCCL_BUFFSIZE = "1048576", [0] = { NCCL_PROTO = "LL" }, [1] = { NCCL_BUFFSIZE = "2097152" } } }
local size, proto = os.getenv("NCCL_BUFFSIZE"), os.getenv("NCCL_PROTO")
assert(size == (rank == 0 and "1048576" or "2097152"), size)
assert(proto == (rank == 0 and "LL" or nil), proto)
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
LUA
check() { # check STATUS JSON
    ran=$((ran + 1))
    [[ $1 = 0 ]] || fail "status $1: $(head -n 5 "$2")"
    [[ $(jq -c '[.findings[] | [.rule, [.culprits[].rank]]] | sort' "$2") = '[["variable-of-one-rank",[0]],["variable-of-one-rank",[0,1]]]' ]] ||
        fail "other notes: $(jq -c .findings "$2")"
}
"$program" run --unsafe --format json "$work/own.lua" >"$work/sim" 2>"$work/err"
check $? "$work/sim"
together 2 run --unsafe "${real[@]}" --format json "$work/own.lua" >"$work/many" 2>"$work/err" </dev/null
check $? "$work/many"
"$program" run --unsafe "${real[@]}" --format json "$work/own.lua" >"$work/one" 2>"$work/err"
status=$? ran=$((ran + 1))
[[ $status = 2 ]] && grep -q 'NCCL_PROTO is set for rank 0 and not for rank 1, but both are threads of one process' "$work/one" ||
    fail "not refused: status $status"
finish
