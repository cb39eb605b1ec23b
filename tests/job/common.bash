# Shared by the scripts of this folder: one run in many processes, and what it must have in common with a run in one process.
: "${NCCLSCRIPT:?the path of the binary}"
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
unset "${!NCCL_@}" "${!NCCLSCRIPT_@}" CUDA_VISIBLE_DEVICES RANK WORLD_SIZE
export NCCLSCRIPT_QUIET=1 ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0
real=(--driver nccl --nccl-lib "$libraries/libnccl.so.2" --cudart-lib "$libraries/libcudart.so.13")
launch=tests/job/launch.bash

fail() {
    echo "FAIL $*"
    sed 's/^/    /' "$work/err" | head -n 20
    failed=$((failed + 1))
}

# What a run of N processes and one of N ranks must have in common. What is printed may come in any order, and a
# run that does not pass may end earlier or later.
same='{ scenario, case, ranks, verdict, exit, checked: (.checked > 0), wrong_count,
    expectations: (if .verdict == "pass" then .expectations else 0 end), output: (.output | sort),
    errors: [.errors[] | { rank, kind, name, line }] | sort,
    findings: [.findings[] | { rule, comm, call, culprits }] }'
alike() { # alike NAME FILE FILE
    ran=$((ran + 1))
    jq -es 'length > 0 and all(.verdict != "invalid")' "$2" >/dev/null || fail "$1: nothing was run in one process"
    diff <(jq -c "$same" "$2" 2>&1) <(jq -c "$same" "$3" 2>&1) >"$work/diff" || { fail "$1: one process <, several >"; head -n 8 "$work/diff" | cut -c 1-1000; }
}
# One job on one machine of exec's, whose libraries are the real ones. Statuses of the processes: $work/statuses.
together() { # together N ARGUMENT...
    local count=$1
    shift
    STATUSES=$work/statuses timeout -s KILL 300 "$program" exec --gpus 8 --processes many --stall 1h -- \
        bash "$launch" "$count" "$program" "$@"
}
finish() {
    echo "$ran runs compared, $failed failed"
    exit $((failed > 0))
}
