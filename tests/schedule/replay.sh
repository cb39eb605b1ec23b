#!/usr/bin/env bash
# The schedule that a run with a seed tells, given to --schedule, is the same run: every scenario,
# NCCLSCRIPT_SEEDS seeds (2), the whole report for machines but for the seed.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
seeds=${NCCLSCRIPT_SEEDS:-2}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

mapfile -t files < <(find scenarios -name '*.lua' | LC_ALL=C sort)
ran=0 failed=0

# report OUT OPTION...: without the seed
report() {
    local out=$1
    shift
    "$NCCLSCRIPT" run --timeout 60s --no-times --format json "$@" 2>&1 </dev/null | jq -c 'del(.seed)' >"$out"
    [[ -s $out ]]
}

# replayed FILE SEED OPTION...: scripts that draw numbers get the seed too
replayed() {
    local file=$1 seed=$2 with=()
    shift 2
    grep -q random "$file" && with=(--seed "$seed")
    ran=$((ran + 1))
    report "$work/one" --seed "$seed" "$@" "$file" &&
        jq -r .schedule "$work/one" >"$work/schedule" &&
        report "$work/two" "${with[@]}" --schedule "@$work/schedule" "$@" "$file" &&
        cmp -s "$work/one" "$work/two" && return
    failed=$((failed + 1))
    echo "$file: the schedule of seed $seed is another run: $NCCLSCRIPT run --seed $seed $* $file"
    diff "$work/one" "$work/two" | cut -c 1-300 | head -n 4
}

for file in "${files[@]}"; do
    for ((seed = 1; seed <= seeds; seed++)); do
        replayed "$file" "$seed"
    done
    replayed "$file" 9 --policy typical
    replayed "$file" 10 --ranks-as thread
done

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
((ran > 0 && failed == 0))
