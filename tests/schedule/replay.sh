#!/usr/bin/env bash
# The schedule that a run with a seed tells, given to --schedule, is the same run: every scenario (of
# a matrix the first case), NCCLSCRIPT_SEEDS seeds (2), the whole report for machines but for the seed.
# AddressSanitizer sees a schedule read and kept to in scenarios/basics: the programs it sees elsewhere.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
seeds=${NCCLSCRIPT_SEEDS:-2}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

folder=scenarios
[[ ${ASAN_OPTIONS:-} ]] && folder=scenarios/basics
mapfile -t files < <(find $folder -name '*.lua' | LC_ALL=C sort | xargs "$NCCLSCRIPT" run --list |
    awk -F '[' '!seen[$1]++')
case='.scenario + if .name then "[" + .name + "]" else "" end' # as run takes it
ran=0 failed=0

# reports OPTION... FILE...: one line for each
reports() {
    "$NCCLSCRIPT" run --timeout 60s --no-times --format json "$@" </dev/null 2>>"$work/err"
}

# replayed SEED OPTION...: every scenario, and each again with its schedule. Scripts that draw numbers
# get the seed too.
replayed() {
    local seed=$1 file schedule with
    shift
    reports --seed "$seed" "$@" "${files[@]}" >"$work/one"
    while IFS=$'\t' read -r file schedule; do
        with=()
        grep -q random "${file%%[*}" && with=(--seed "$seed")
        printf '%s' "$schedule" >"$work/schedule"
        reports "${with[@]}" --schedule "@$work/schedule" "$@" "$file"
        ran=$((ran + 1))
    done < <(jq -r "[$case, .schedule] | @tsv" "$work/one") >"$work/two"
    while read -r file; do
        failed=$((failed + 1))
        echo "$file: the schedule of seed $seed is another run: $NCCLSCRIPT run --seed $seed $* $file"
    done < <(diff <(jq -cS 'del(.seed)' "$work/one") <(jq -cS 'del(.seed)' "$work/two") |
        sed -n 's/^[<>] //p' | jq -r "$case" | sort -u)
}

for ((seed = 1; seed <= seeds; seed++)); do
    replayed "$seed"
done
replayed 9 --policy typical
replayed 10 --ranks-as thread
cat "$work/err"

# Seeds make schedules that differ, and with a schedule the seed draws none.
one=$("$NCCLSCRIPT" run --format json --seed 1 scenarios/basics/ring.lua | jq -r .schedule)
two=$("$NCCLSCRIPT" run --format json --seed 2 scenarios/basics/ring.lua | jq -r .schedule)
three=$("$NCCLSCRIPT" run --format json --seed 2 --schedule "$one" scenarios/basics/ring.lua |
    jq -r .schedule)
[[ -n $one && $one != "$two" && $one == "$three" ]] || {
    echo "not so: \`$one\` is not \`$two\`, but \`$three\`"
    failed=$((failed + 1))
}

echo "${#files[@]} scenarios, $ran replays, $failed failed"
((ran >= 3 * ${#files[@]} && failed == 0))
