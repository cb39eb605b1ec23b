#!/usr/bin/env bash
# What travels between the process that runs the scripts and the processes of their ranks: each program asserts it itself.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/job/common.bash
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
try() { # try PROGRAM OPTION...: in two processes
    local name=$1
    shift
    ran=$((ran + 1))
    together 2 run "${real[@]}" --timeout 60s "$@" "tests/job/programs/$name.lua" >"$work/out" 2>"$work/err" </dev/null
    [[ $(tr '\n' ' ' <"$work/statuses") = "0 0 " ]] || { fail "$name"; head -n 20 "$work/out"; }
}
try splits -n 8
try memory
try refused
echo "$ran programs, $failed failed"
((failed == 0))
