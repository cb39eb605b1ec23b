#!/usr/bin/env bash
# A hang becomes what detectors write, the dump a scenario, and the scenario ends as the dump shows. So many of scenarios/bugs do,
# by source; fewer = something broke.
set -u
. "$(dirname "$0")/common.bash"

hangs=()
for file in scenarios/bugs/*/*.lua; do
    case=$("$NCCLSCRIPT" run --list "$file" 2>/dev/null | tail -n 1)
    "$NCCLSCRIPT" run "$case" 2>&1 | grep -q ': hang as declared' && hangs+=("$case")
done
[ "${#hangs[@]}" -ge 70 ] || fail "only ${#hangs[@]} of the bugs hang"

source_keeps() { # SOURCE LEAST
    local same=0 case
    for case in "${hangs[@]}"; do
        rm -rf "$work/dumps" "$work/made.lua"
        "$NCCLSCRIPT" run -q "$case" --dump "$1" "$work/dumps" >/dev/null 2>&1
        "$NCCLSCRIPT" diagnose -q "$work/dumps" --scenario "$work/made.lua" >/dev/null 2>"$work/err"
        grep -q 'ends as the record shows' "$work/err" || continue
        same=$((same + 1))
        "$NCCLSCRIPT" run -q "$work/made.lua" >/dev/null 2>&1 || fail "$1: $case: the scenario does not end as it declares"
    done
    echo "$1: $same of ${#hangs[@]} end as the record shows"
    [ "$same" -ge "$2" ] || fail "$1: only $same"
}
source_keeps fr 62
source_keeps fr-json 63
source_keeps ras 43
source_keeps log 65
source_keeps calls 65
finish "sources"
