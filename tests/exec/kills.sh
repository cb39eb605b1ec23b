#!/usr/bin/env bash
# kills.sh [TIMES [SEED]]: ends a rank of a job that loops, at a random moment. However it was ended, exec ends, reports which
# rank is gone, and leaves no process.
set -u
. tests/exec/common.bash
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export NCCLSCRIPT_QUIET=1
times=${1:-10}
RANDOM=${2:-1}
most=0 alone=0 before=0 during=0 under_way=0 unknown=0

left() {
    local folder
    for folder in /proc/[0-9]*; do
        grep -qzx "JOB_MARK=$mark" "$folder/environ" 2>/dev/null && echo "${folder#/proc/}"
    done
}

victim() { sed -n "s/^rank $rank is //p" "$out/stdout"; }

for ((n = 1; n <= times; n++)); do
    mark=kills.$$.$n
    rank=$((RANDOM % 3)) pause=$((RANDOM % 60))
    signal=KILL
    ((RANDOM % 3 == 0)) && [ -z "$runtime" ] && signal=SEGV # a sanitizer's handler goes on for a while
    name="kill $n of $times: SIG$signal to rank $rank after $pause ms"
    : >"$out/stdout"
    JOB_MARK=$mark timeout -s KILL 100 "${exec[@]}" --stall 1h --timeout 5s -- "${clients}processes" loop 3 >"$out/stdout" 2>"$out/stderr" &
    command=$!
    for ((i = 0; i < 3000; i++)); do
        [ -n "$(victim)" ] && break
        sleep 0.01
    done
    sleep "0.0$(printf %02d $pause)"
    began=$(date +%s%N)
    kill -$signal "$(victim)"
    wait $command 2>/dev/null
    status=$?
    # Rank 0 makes the id: without it, the others wait in no call.
    if [ $rank -eq 0 ] && [ $status -eq 124 ] && ! grep -q 'waits in' "$out/stderr"; then
        alone=$((alone + 1))
        continue
    fi
    took=$((($(date +%s%N) - began) / 1000000))
    ((took > most)) && most=$took
    [ $status -eq 3 ] || fail "$name: exit status $status, not 3"
    grep -q '^HANG ' "$out/stderr" || fail "$name: no report"
    if grep -qE "^  why   rank $rank was (stopped|ended) by .* before " "$out/stderr"; then
        before=$((before + 1))
    elif grep -qE "^  why   rank $rank was (stopped|ended) by .* during " "$out/stderr"; then
        during=$((during + 1))
    elif grep -qE "rank $rank was (stopped|ended) by |process of rank $rank was ended by " "$out/stderr"; then
        under_way=$((under_way + 1))
    elif grep -qE "ranks? ([0-9], )?$rank(, [0-9])? did not" "$out/stderr"; then
        unknown=$((unknown + 1))
    else
        fail "$name: the report does not name rank $rank"
    fi
    for ((i = 0; i < 300; i++)); do
        rest=$(left)
        [ -n "$rest" ] || break
        sleep 0.1
    done
    [ -z "$rest" ] || { fail "$name: processes are left: $rest"; kill -9 $rest; }
done
echo "$before before a call, $during during one, $under_way otherwise, $unknown before it joined, $alone before it made the id; at most $most ms from the signal to the end"
finish "a rank is ended at a random moment"
