#!/usr/bin/env bash
# Runs every scenario (the workloads have a test of their own): each must end as it declares, under both
# policies, with ranks as fibers and as threads, for NCCLSCRIPT_SEEDS seeds (10), in the
# same bytes whenever the seed is the same and whatever the ranks are. Of scenarios/bugs, which tests/gallery
# sees to, fibers and threads are compared. ThreadSanitizer sees the runs that have threads,
# AddressSanitizer each run once: the same run again, to compare bytes, runs no other code.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
seeds=${NCCLSCRIPT_SEEDS:-10}
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

mapfile -t files < <(find scenarios -path scenarios/workloads -prune -o \
    \( -name '*.lua' -o -name '*.yaml' -o -name '*.yml' \) -print | LC_ALL=C sort)
((${#files[@]} > 0)) || { echo "there is no scenario in $PWD/scenarios"; exit 1; }
all=("${files[@]}")
ran=0 failed=0

fail() { # WHAT, and the command that shows it
    printf '%s\n  again: %s\n' "$1" "$2"
    failed=$((failed + 1))
}

# gallery OUT OPTION...: runs all files in one process
gallery() {
    local out=$1 status=0
    shift
    "$program" run --timeout 60s "$@" "${files[@]}" >"$out" 2>"$work/err" </dev/null || status=$?
    ran=$((ran + ${#files[@]}))
    [[ ! -s $work/err ]] || fail "said on standard error: $(head -n 3 "$work/err")" \
        "$program run $* scenarios"
    return $status
}

# as_declared OPTION...: what came, from the reports for machines
as_declared() {
    local status=0 count
    gallery "$work/json" --format json "$@" || status=$?
    if ! count=$(jq -es 'map(select(.schema == "ncclscript.report/1").scenario) | unique | length' "$work/json"); then
        fail "the reports are no JSON" "$program run --format json $* scenarios"
        return
    fi
    ((count == ${#files[@]})) ||
        fail "there are reports of $count of ${#files[@]} scenarios" "$program run --format json $* scenarios"
    while IFS=$'\t' read -r file verdict code; do
        fail "$file: $verdict (exit $code), not as declared" "$program run $* $file"
    done < <(jq -r 'select(.as_expected | not) | [.scenario, .verdict, .exit] | @tsv' "$work/json")
    ((status == 0)) || ((failed > 0)) ||
        fail "exit status $status, though all is as declared" "$program run $* scenarios"
}

# same_bytes WHAT OPTION... -- OPTION...: two runs of all that must not differ
same_bytes() {
    local what=$1 one=() file
    shift
    while [[ $1 != -- ]]; do
        one+=("$1")
        shift
    done
    shift
    gallery "$work/one" -v "${one[@]}"
    gallery "$work/two" -v "$@"
    cmp -s "$work/one" "$work/two" && return
    failed=$((failed + 1))
    for file in "${files[@]}"; do
        "$program" run -v "${one[@]}" "$file" >"$work/one" 2>&1
        "$program" run -v "$@" "$file" >"$work/two" 2>&1
        cmp -s "$work/one" "$work/two" && continue
        fail "$file: differs $what" \
            "diff <($program run -v ${one[*]} $file) <($program run -v $* $file)"
        diff "$work/one" "$work/two" | head -n 5
    done
    echo "the gallery as a whole differs $what: ${one[*]} | $*"
}

if [[ ${TSAN_OPTIONS:-} || ${ASAN_OPTIONS:-} ]]; then
    mapfile -t files < <(printf '%s\n' "${all[@]}" | grep -v '^scenarios/bugs/')
    for policy in strict typical; do
        [[ ${TSAN_OPTIONS:-} ]] || as_declared --policy "$policy" --seed 1
        as_declared --policy "$policy" --ranks-as thread --seed 1
    done
    for class in scenarios/bugs/*/; do # its memory grows with the threads that a process has had
        mapfile -t files < <(printf '%s\n' "${all[@]}" | grep "^$class")
        as_declared --ranks-as thread --seed 1
    done
    files=("${all[@]}")
    echo "${#files[@]} scenarios, $ran runs under a sanitizer, $failed failed"
    ((failed == 0))
    exit
fi

mapfile -t files < <(printf '%s\n' "${all[@]}" | grep -v '^scenarios/bugs/')
for policy in strict typical; do
    for ((seed = 0; seed <= seeds; seed++)); do
        as_declared --policy "$policy" --seed "$seed"
    done
    as_declared --policy "$policy" --ranks-as thread --seed 1
    same_bytes "between fibers and threads" --policy "$policy" -- \
        --policy "$policy" --ranks-as thread
done
for seed in 3 7; do
    same_bytes "from run to run" --seed "$seed" -- --seed "$seed"
    same_bytes "between fibers and threads" --seed "$seed" -- --seed "$seed" --ranks-as thread
done
mapfile -t files < <(printf '%s\n' "${all[@]}" | grep '^scenarios/bugs/')
for policy in strict typical; do
    same_bytes "between fibers and threads" --policy "$policy" --seed 5 -- \
        --policy "$policy" --seed 5 --ranks-as thread
done

# Alone in its process each must do what it does in the row.
for file in "${all[@]}"; do
    "$program" run -q --timeout 60s "$file" >"$work/out" 2>&1 </dev/null && continue
    fail "$file: alone: exit status is not 0" "$program run $file"
    head -n 5 "$work/out"
done
ran=$((ran + ${#all[@]}))

echo "${#all[@]} scenarios, $ran runs, $failed failed"
((ran > 0 && failed == 0))
