#!/usr/bin/env bash
# launch.bash N COMMAND...: starts N processes of one job, as a launcher does, and ends when all have. Each process's exit status is a
# line of the file $STATUSES, and its number one of the file $NUMBERS, if they are set. The variable ONLY_1 has an assignment for the
# environment of process 1. The exit status is that of the first process that failed, by number.
count=$1 job=$$.$RANDOM
shift
for ((i = 0; i < count; i++)); do
    RANK=$i WORLD_SIZE=$count LOCAL_RANK=$i LOCAL_WORLD_SIZE=$count MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 \
        TORCHELASTIC_RUN_ID=$job \
        env $([ "$i" = 1 ] && echo "${ONLY_1:-}") "$@" &
    process[i]=$!
done
[ -z "${NUMBERS:-}" ] || printf '%s\n' "${process[@]}" >"$NUMBERS"
# An interrupt is for all of them.
trap 'kill -INT "${process[@]}" 2>/dev/null' INT
trap 'kill -TERM "${process[@]}" 2>/dev/null' TERM
[ -z "${STATUSES:-}" ] || : >"$STATUSES"
first=0
for ((i = 0; i < count; i++)); do
    wait "${process[i]}"
    status=$?
    while kill -0 "${process[i]}" 2>/dev/null; do # a signal has ended the wait
        wait "${process[i]}"
        status=$?
    done
    [ -z "${STATUSES:-}" ] || echo "$status" >>"$STATUSES"
    ((first)) || first=$status
done
exit "$first"
