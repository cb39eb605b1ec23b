#!/usr/bin/env bash
# The order in which kinds of rules and of candidates are written down decides nothing: whole reports, and what is
# diagnosed of dumps, are the same with several other orders. NCCLSCRIPT_SHUFFLES orders (1), NCCLSCRIPT_PROGRAMS random
# programs with a bug (200).
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
plain=$(realpath "$NCCLSCRIPT") || exit 1
shuffled=$(dirname "$plain")/tests/shuffle/ncclscript_shuffled
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/correct" "$work/mutant" "$work/dumps"
for family in random training; do
    "$plain" run -q --unsafe --set first=1 --set count=$((${NCCLSCRIPT_PROGRAMS:-200} / 2)) --set out="$work" \
        --set family=$family tests/truth/programs/write.lua >"$work/err" 2>&1 || { cat "$work/err"; exit 1; }
    mkdir "$work/$family" && mv "$work"/mutant/* "$work/$family"
done

reports() { # OUT PROGRAM: what is found in all of them
    local folder
    "$2" run --no-times --timeout 60s --format json -j 2 "$work/random" "$work/training" tests/hangs/cases \
        scenarios/bugs >"$1" 2>"$work/err" </dev/null
    for folder in "$work"/dumps/* tests/trace/hand/dumps; do
        "$2" diagnose --format json "$folder"
    done >>"$1" 2>>"$work/err" </dev/null
}

reports "$work/plain" "$plain"
count=$(wc -l <"$work/plain") failed=0
((count > 1000)) || { echo "only $count reports"; exit 1; }
for ((order = 1; order <= ${NCCLSCRIPT_SHUFFLES:-1}; order++)); do
    export NCCLSCRIPT_KINDS=$order
    reports "$work/got" "$shuffled"
    cmp -s "$work/plain" "$work/got" && continue
    failed=$((failed + 1))
    echo "with NCCLSCRIPT_KINDS=$order $shuffled reports otherwise:"
    diff <(jq -c '[.scenario, .name, .findings]' "$work/plain") <(jq -c '[.scenario, .name, .findings]' "$work/got") |
        cut -c 1-300 | head -n 8
    [[ ${NCCLSCRIPT_KEEP:-} ]] && cp -r "$work/." "$NCCLSCRIPT_KEEP" && cp "$work/got" "$NCCLSCRIPT_KEEP/got.$order"
done
echo "$count reports in $((order - 1)) other orders, $failed orders report otherwise"
((failed == 0))
