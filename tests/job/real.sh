#!/usr/bin/env bash
# Scenarios on "real" libraries, which are the drop-in ones: a run in 2 and in 4 processes has the verdict, the culprits and the
# values of a run in one process.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/job/common.bash
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }

compare() { # compare N TIME FILE...
    local count=$1 time=$2 status one
    shift 2
    "$program" run "${real[@]}" -n "$count" --timeout "$time" --format json --no-times "$@" >"$work/one" 2>"$work/err" </dev/null
    one=$?
    together "$count" run "${real[@]}" --timeout "$time" --format json --no-times "$@" >"$work/many" 2>"$work/err" </dev/null
    alike "$count processes: $*" "$work/one" "$work/many"
    while read -r status; do
        [[ $status = "$one" ]] || fail "$count processes: $*: one ended with $status, not $one"
    done <"$work/statuses"
    [[ $(wc -l <"$work/statuses") = "$count" ]] || fail "$count processes: $*: not all have ended"
}
shopt -s nullglob
compare 2 60s scenarios/basics
compare 4 60s scenarios/basics scenarios/workloads
finish
