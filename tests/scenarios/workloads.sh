#!/usr/bin/env bash
# Runs the library of workloads: every case of every file must pass, verified, under both policies,
# with schedules drawn from a seed, and in the same bytes with ranks as fibers and as threads. And each
# must notice what may be wrong with it: of a copy with a mistake some case must fail.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
for tool in jq lua5.4; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
cd "$(dirname "$0")/../.." || exit 1
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fewest=20 # cases of a file
failed=0 ran=0

files=(scenarios/workloads/*.yaml)
[[ -e ${files[0]} ]] || { echo "there is no workload in $PWD/scenarios/workloads"; exit 1; }

fail() {
    printf '%s\n' "$*"
    failed=$((failed + 1))
}

# failures SUFFIX JQ-ARGUMENT...: each line that jq makes of the reports is one
failures() {
    local suffix=$1 line
    shift
    jq -r "$@" "$work/json" >"$work/lines" || fail "jq does not read the reports$suffix"
    while read -r line; do
        fail "$line$suffix"
    done <"$work/lines"
}

# library OPTION...: all cases of all files, or those that are selected
library() {
    local status=0 again=": $program run $* scenarios/workloads"
    "$program" run --timeout 60s --format json "$@" scenarios/workloads \
        >"$work/json" 2>"$work/err" </dev/null || status=$?
    ((status == 0)) || fail "exit status $status$again"
    [[ ! -s $work/err ]] || fail "said on standard error: $(head -n 3 "$work/err")"
    failures "$again" '
        select(.verdict != "pass" or (.as_expected | not) or .unchecked > 0 or
               .expectations == 0 or (.checked == 0 and .ranks > 1)) |
        "\(.scenario)[\(.name)]: \(.message), \(.checked) verified, \(.unchecked) not, " +
        "\(.expectations) expectations"'
    ran=$((ran + $(wc -l <"$work/json")))
}

# Every file is there, with many cases, each with a name of its own, at several numbers of ranks.
complete() {
    printf '%s\n' "${files[@]}" >"$work/files"
    failures "" -s --argjson fewest "$fewest" --rawfile files "$work/files" '
        group_by(.scenario) |
        map({ file: .[0].scenario, cases: length, names: map(.name) | unique | length,
              ranks: map(.ranks) | unique | length }) |
        (($files | rtrimstr("\n") | split("\n")) - map(.file) | .[] | "\(.): it was not run"),
        (.[] | select(.cases < $fewest or .names != .cases or .ranks < 3) |
         "\(.file): \(.cases) cases, \(.names) names, \(.ranks) numbers of ranks")'
}

# Each copy with a mistake loads, and some case of it is not as expected.
noticed() {
    mkdir "$work/mutants"
    mutants=$(lua5.4 tests/scenarios/mutants.lua "$work/mutants") || fail "the mutants cannot be made"
    "$program" run --timeout 60s --format json "$work/mutants" >"$work/json" 2>"$work/err" </dev/null
    failures "" -s --argjson mutants "${mutants:-0}" '
        group_by(.scenario) |
        map({ file: .[0].scenario, seen: any(.as_expected | not),
              loads: all(.errors | all(.kind != "scenario")) }) |
        (if length != $mutants then "\(length) of \($mutants) mutants were run" else empty end),
        (.[] | select(.loads | not) | "\(.file): does not load"),
        (.[] | select(.seen | not) | "\(.file): nothing notices the mistake")'
}

if [[ ${TSAN_OPTIONS:-} ]]; then # sees the runs that have threads
    library --seed 3 -k dtype=float32 -j 2 --ranks-as thread
    echo "${#files[@]} workloads, $ran runs with threads, $failed failed"
    ((ran > 0 && failed == 0))
    exit
fi
library
complete
library --policy typical -j 2
library --seed 3 --no-times -k dtype=float32
mv "$work/json" "$work/fibers"
library --seed 3 --no-times -k dtype=float32 -j 2 --ranks-as thread
diff "$work/fibers" "$work/json" >"$work/diff" ||
    fail "differs between fibers and threads: $(head -c 300 "$work/diff")"
noticed

echo "${#files[@]} workloads, ${mutants:-0} mutants, $ran runs, $failed failed"
((ran > 0 && failed == 0))
