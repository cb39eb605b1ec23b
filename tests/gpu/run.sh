#!/usr/bin/env bash
# Scenarios on real GPUs: with one rank, with as many as there are GPUs, and, where NCCL allows it, with
# several on one.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
source tests/gpu/need.bash
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0

# on STATUS WORDS ARGUMENT...: the exit status, and a text that the report has.
on() {
    local want=$1 words=$2 got
    shift 2
    timeout 120 "$program" run --driver nccl "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    ran=$((ran + 1))
    if [[ $got != "$want" ]] || ! grep -qF -- "$words" "$work/out"; then
        echo "run $*: status $got, expected $want and \"$words\":"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}

# Every collective, in the types that all NCCLs have; each result is verified.
cat >"$work/all.lua" <<'S'
scenario { ranks = 1, params = { count = 4096 } }
local n = param.count
for _, dtype in ipairs { "int32", "uint8", "int64", "float16", "bfloat16", "float32", "float64" } do
  local x, y = cuda.buffer(dtype, n):fill(rank + 1), cuda.buffer(dtype, n)
  local wide, narrow = cuda.buffer(dtype, n * nranks):fill(rank), cuda.buffer(dtype, n)
  for _, op in ipairs { "sum", "prod", "min", "max", "avg" } do
    world:all_reduce(x, y, { op = op })
  end
  world:all_reduce(x)
  world:reduce(x, y, { root = nranks - 1 })
  world:broadcast(x, { root = nranks - 1 })
  world:all_gather(x, wide)
  world:reduce_scatter(wide, narrow)
  nccl.group(function()
    world:send(x, (rank + 1) % nranks)
    world:recv(y, (rank - 1) % nranks)
  end)
  stream:sync()
end
S
checked() { # ranks: 10 results in each of 7 types, and the root's
    echo "$((7 * (10 * $1 + 1))) results verified"
}
on 0 "$(checked 1)" "$work/all.lua"
((gpus > 1)) && on 0 "$(checked "$gpus")" -n "$gpus" "$work/all.lua"

# Beyond what the copies have room for.
on 0 "0 results verified, 6 not verified" --set count=134217728 <(cat <<'S'
scenario { ranks = 1, params = { count = 1 } }
local x = cuda.buffer("float32", param.count):fill(1)
for _ = 1, 6 do world:all_reduce(x) end
stream:sync()
S
)

if [[ $(printf '%s\n' 2.30.3 "$nccl" | sort -V | head -1) == 2.30.3 ]]; then
    export NCCL_MULTI_RANK_GPU_ENABLE=1
    on 0 "$(checked $((gpus + 1)))" -n "$((gpus + 1))" "$work/all.lua"
    cat >"$work/hang.lua" <<'S'
scenario { ranks = 2, outcome = { hang = { why = "skipped-call", culprit = 1, waiting = { 0 } } } }
local x = cuda.buffer("float32", 1024):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 0 then world:all_reduce(x) end
S
    on 0 "hang as declared" --timeout 3s "$work/hang.lua"
    for name in all_gather broadcast group grouped_exchange in_place reduce_scatter send_recv; do
        on 0 PASS --timeout 20s -n 2 "scenarios/basics/$name.lua"
    done
else
    on 77 "NCCL allows several on a GPU from 2.30.3 on" -n "$((gpus + 1))" scenarios/basics/ring.lua
fi

echo "$ran runs on $gpus GPUs with NCCL $nccl, $failed wrong"
((ran > 0 && failed == 0))
