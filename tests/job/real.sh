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
# Files all of whose cases have N ranks and such a verdict. The machine of `exec` has the variables of NCCL that its first process had,
# so that scenarios which set some cannot be compared; nor those that need the simulator.
files() { # files N VERDICTS FOLDER...
    local count=$1 verdicts=$2
    shift 2
    "$program" run --format json --no-times "$@" 2>/dev/null </dev/null |
        jq -rs --argjson n "$count" --arg v "$verdicts" 'group_by(.scenario)[] |
            select(all(.ranks == $n and (.verdict | test("^(" + $v + ")$")))) | .[0].scenario' |
        xargs grep -LE 'env *[:={]|driver *[=:] *"?sim|HostRegister|needs' --
}
part() { # part N OF: each Nth line, OF lines at most
    awk -v n="$1" -v of="$2" 'NR % n == 1 && ++taken <= of'
}
mapfile -t two < <(files 2 pass scenarios/basics scenarios/workloads scenarios/patterns scenarios/recovery)
mapfile -t four < <(files 4 pass scenarios/basics scenarios/workloads scenarios/patterns scenarios/recovery)
compare 2 60s "${two[@]}"
compare 4 60s "${four[@]}"
for count in 2 4; do
    mapfile -t wrong < <("$program" run --format json --no-times scenarios/bugs -k "ranks=$count" 2>/dev/null </dev/null |
        jq -r 'select(.verdict | test("hang|wrong|error")) | "\(.scenario)[\(.name)]"' | part 29 "${NCCLSCRIPT_JOB_BUGS:-3}")
    ((${#wrong[@]} > 0)) || fail "no bugs of $count ranks"
    for one in "${wrong[@]}"; do
        compare $count 3s "$one"
    done
done
finish
