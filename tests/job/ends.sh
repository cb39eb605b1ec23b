#!/usr/bin/env bash
# How runs in many processes end: every process has the status of the run, one of them reports, and nothing is left.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/job/common.bash
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
export STATUSES=$work/statuses NUMBERS=$work/numbers

reports() { grep -qE -- "$1" "$work/out" || { fail "$name: standard output lacks: $1"; sed 's/^/    /' "$work/out" | head -n 20; }; }
warns() { grep -qE -- "$1" "$work/err" || fail "$name: standard error lacks: $1"; }
all_ended() { # all_ended COUNT STATUS
    ran=$((ran + 1))
    [[ $(sort "$STATUSES" | uniq -c | tr -s ' ' | sed 's/^ //') = "$1 $2" ]] ||
        fail "$name: the processes ended with $(tr '\n' ' ' <"$STATUSES"), not each with $2"
}
lines() { # how many lines of standard output match
    [[ $(grep -cE -- "$2" "$work/out") = "$1" ]] || { fail "$name: not $1 times: $2"; sed 's/^/    /' "$work/out" | head -n 20; }
}
try() { # try NAME COUNT STATUS ARGUMENT...: on the simulator
    local count=$2 status=$3
    name=$1
    shift 3
    timeout -s KILL 200 bash "$launch" "$count" "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    all_ended "$count" "$status"
}
try_real() { # the same on the "real" libraries
    local count=$2 status=$3
    name=$1
    shift 3
    together "$count" "${@:1:1}" "${real[@]}" "${@:2}" >"$work/out" 2>"$work/err" </dev/null
    all_ended "$count" "$status"
}

cat >"$work/sum.lua" <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(rank + 1)
world:all_reduce(x)
stream:sync()
if rank == 1 then store:set("said", "by 1") end
barrier()
print(rank .. " of " .. nranks .. ": " .. x[1] .. " " .. store:get("said"))
S
cat >"$work/hang.lua" <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
if rank > 0 then world:all_reduce(x) end
stream:sync()
S
cat >"$work/error.lua" <<'S'
scenario { ranks = 2 }
if rank == 1 then error("this rank has had enough") end
S
cat >"$work/long.lua" <<'S'
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
print("goes on" .. ("."):rep(100000)) -- more than is kept before it is written
for i = 1, 2000 do
  world:all_reduce(x, { op = "max" })
  stream:sync()
  sleep(0.05)
end
S

# ---- the simulator: launch files can be tried anywhere ----

try "as many ranks as processes" 3 0 run "$work/sum.lua"
for r in 0 1 2; do lines 1 "^\\[$r\\] $r of 3: 6.0 by 1\$"; done
lines 1 '^PASS .* 3 ranks, sim, '
try "two ranks in each" 2 0 run -n 4 "$work/sum.lua"
lines 1 '^PASS .* 4 ranks, sim, '
try "a hang" 3 3 run "$work/hang.lua"
lines 1 '^HANG .* 3 ranks'
try "an error" 2 4 run "$work/error.lua"
try "no such file" 2 2 run "$work/none.lua"
[[ $(grep -c 'none\.lua' "$work/err") = 1 ]] || fail "$name: the message does not come once"
try "several files" 2 3 run "$work/sum.lua" "$work/hang.lua"
try "each for itself" 2 0 run --processes one "$work/sum.lua"
lines 2 '^PASS .* 2 ranks, sim, '
try "-j makes no copies of the leader" 2 0 run -j 2 "$work/sum.lua" "$work/sum.lua"
try "a bad meeting place" 2 2 run --rendezvous nowhere "$work/sum.lua"
warns 'nowhere'

# ---- real libraries ----

try_real "as many ranks as processes" 3 0 run "$work/sum.lua"
for r in 0 1 2; do lines 1 "^\\[$r\\] $r of 3: 6.0 by 1\$"; done
lines 1 '^PASS .* 3 ranks, nccl, .*3 results verified'
try_real "two ranks in each" 2 0 run -n 4 "$work/sum.lua"
lines 1 '^PASS .* 4 ranks, nccl, .*4 results verified'
try_real "a hang" 3 3 run --timeout 1s "$work/hang.lua"
lines 1 '^HANG .* 3 ranks'
reports '^    rank 0  never made call 1'
try_real "an error" 2 4 run "$work/error.lua"
reports 'this rank has had enough'
ONLY_1=CUDA_VISIBLE_DEVICES= try_real "a process without a GPU" 3 77 run "$work/sum.lua"
reports '^SKIPPED .*process 1 on host .*: driver nccl: .*no GPU'
try_real "more ranks than GPUs" 2 77 run -n 40 "$work/sum.lua"
reports '^SKIPPED .*40 ranks on host .* need 40 GPUs'

# ---- ends from outside ----

begin() { # begin NAME: a job of three processes that goes on
    name=$1
    rm -f "$NUMBERS"
    : >"$work/out"
    together 3 run "${real[@]}" --timeout 60s "$work/long.lua" >"$work/out" 2>"$work/err" </dev/null &
    job=$!
    for ((i = 0; i < 1500; i++)); do
        [[ $(grep -c 'goes on' "$work/out") -ge 2 ]] && break
        sleep 0.02
    done
    mapfile -t process <"$NUMBERS"
}
over() { # over STATUS...: one for each process
    wait "$job"
    ran=$((ran + 1))
    [[ $(tr '\n' ' ' <"$STATUSES") = "$* " ]] || fail "$name: the processes ended with $(tr '\n' ' ' <"$STATUSES"), not $*"
    for ((i = 0; i < 100; i++)); do
        kill -0 "${process[@]}" 2>/dev/null || return
        sleep 0.1
    done
    fail "$name: processes are left"
}
begin "a process is killed"
kill -KILL "${process[1]}"
over 4 137 4
reports "^    rank 1  lost with its process \\(${process[1]} on host "
reports '^  ranks 0, 2 wait .* because rank 1 failed$'
begin "an interrupt"
kill -INT "${process[@]}"
over 130 130 130
lines 1 '^INTERRUPTED '
begin "SIGTERM to all, as launchers send it"
kill -TERM "${process[@]}"
over 130 130 130
begin "the leader is killed"
kill -KILL "${process[0]}"
over 137 70 70
warns '^ncclscript run: process [12]: process 0 \(host .*\) is gone before the job.s end'

echo "$ran jobs, $failed failed"
((failed == 0))
