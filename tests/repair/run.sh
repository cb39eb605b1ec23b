#!/usr/bin/env bash
# What findings say would repair a program is tried on every bug of the gallery, every case of the
# diagnosis and those in cases/, whose edits edits.tsv has: of those that have edits nine of ten have to pass with them. unrepaired.tsv has, for the
# others, why: SCENARIO, reason.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
here=tests/repair
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

mapfile -t files < <(find scenarios/bugs tests/hangs/cases $here/cases -name '*.lua' -not -path '*/fixed/*' | sort)
((${#files[@]} > 0)) || { echo "no scenarios"; exit 1; }
"$program" run --repair --timeout 60s --no-times --format json "${files[@]}" \
    >"$work/json" 2>"$work/err" </dev/null
cat "$work/err"
reported=$(jq -r .scenario "$work/json" | sort -u | wc -l)
((reported == ${#files[@]})) || { echo "reports of $reported of ${#files[@]} scenarios"; failed=1; }

# SCENARIO, its case, rules of the rounds, whether it passes with them, what is left.
jq -r 'select(.repair != null and (.repair.rounds | length) > 0) |
    [.scenario, .name // "-", ([.repair.rounds[].rule] | join(" ")), .repair.repaired,
     (.repair.rounds[-1] | .left // .failure // .verdict)] | @tsv' "$work/json" >"$work/tried"
awk -F'\t' '$4 == "false" { print $1 }' "$work/tried" | sort -u >"$work/left"
awk -F'\t' '$4 == "true" { print $1 }' "$work/tried" | sort -u | comm -23 - "$work/left" >"$work/repaired"
cut -f1 "$here/unrepaired.tsv" | sort -u >"$work/known"
while IFS=$'\t' read -r scenario name rules repaired left; do
    [[ $repaired == true ]] && continue
    grep -qxF "$scenario" "$work/known" && continue
    echo "not repaired, and no reason in unrepaired.tsv: $scenario ($name): $rules; left: $left"
    failed=$((failed + 1))
done <"$work/tried"
while read -r scenario; do
    echo "unrepaired.tsv: $scenario is repaired: the line can go"
done < <(comm -12 "$work/repaired" "$work/known")

# What edits look like, kind by kind: an edit that does nothing repairs nothing.
while IFS=$'\t' read -r name edits; do
    scenario=$here/cases/$name.lua
    got=$(jq -r --arg s "$scenario" 'select(.scenario == $s) | .repair.rounds[].edits[].text' \
        "$work/json")
    [[ $got == "${edits//|/$'\n'}" ]] && continue
    printf '%s: other edits than in edits.tsv:\n%s\n' "$scenario" "$got"
    failed=$((failed + 1))
done <"$here/edits.tsv"

# The verdict and the status are those of the run as the file is.
skipped=$here/cases/insert.lua
"$program" run --repair $skipped >"$work/text" 2>&1 </dev/null && grep -q '^PASS ' "$work/text" &&
    grep -q '^  repair ' "$work/text" && grep -q '^    then  it passes$' "$work/text" ||
    { echo "not as declared, or without its repair:"; cat "$work/text"; failed=$((failed + 1)); }

# What is left when the edits are used up has its reason, and it is said that nothing more is known.
"$program" run --repair 'scenarios/bugs/lifecycle/split_instead_of_call.lua[ranks=3,culprit=0]' >"$work/text" 2>&1 </dev/null
tail -n 3 "$work/text" | grep -v '^    then  hang: skipped-call$' >"$work/rest"
printf '%s\n' '    why   ranks 1, 2 never called comm:split on world, at line 19 on rank 0: it is for all of its ranks' \
    '          no change of calls alone is known to repair that' | diff "$work/rest" - ||
    { echo "the end of a repair that is none:"; cat "$work/text"; failed=$((failed + 1)); }

tried=$(wc -l <"$work/tried")
passed=$(awk -F'\t' '$4 == "true"' "$work/tried" | wc -l)
echo "$passed of $tried findings with edits are repaired by them, $failed failed"
((tried > 0 && passed * 10 >= tried * 9 && failed == 0))
