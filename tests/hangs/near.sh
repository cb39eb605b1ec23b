#!/usr/bin/env bash
# Each rule is tried on what it is for and on what only looks so. near.jsonl, a line for each pair:
# `triggers` reports the rule under the strict policy, `not` reports it under neither. Of a rule that
# no script can bring about, because ncclscript closes what one leaves behind, `unit` names the tests
# that assert it.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
table=tests/hangs/near.jsonl
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 tried=0

breach() {
    echo "near.jsonl: $1"
    failed=$((failed + 1))
}

# A rule is a file of src/diagnose/rules or a row of its rows.def.
mapfile -t rules < <(cd src/diagnose/rules && ls ./*.c | sed 's/^..//; s/\.c$//; y/_/-/')
mapfile -t rows < <(sed -n 's/^NCS_RULE_ROW([^,]*, "\([^"]*\)".*/\1/p' src/diagnose/rules/rows.def)
((${#rules[@]} > 0 && ${#rows[@]} > 0)) || { echo "no rules in src/diagnose/rules"; exit 1; }
rules+=("${rows[@]}")
for rule in "${rules[@]}"; do
    jq -se --arg r "$rule" 'any(.[]; .rule == $r and (.triggers // .unit))' $table >/dev/null ||
        breach "$rule: nothing that triggers it"
    jq -se --arg r "$rule" 'any(.[]; .rule == $r and .not)' $table >/dev/null ||
        breach "$rule: nothing near that does not"
done

# "POLICY FILE RULE", one for each finding; and the files of which there is a report.
for policy in strict typical; do
    mapfile -t files < <(jq -r '.triggers // empty, .not // empty' $table | sort -u)
    "$program" run --timeout 60s --format json --policy $policy "${files[@]}" </dev/null 2>/dev/null |
        jq -r '[.policy, .scenario, "-"], ([.policy, .scenario] + [.findings[].rule | strings]
            | .[0] as $p | .[1] as $s | .[2:][] | [$p, $s, .]) | join(" ")' >>"$work/found"
done

while IFS=$'\t' read -r rule triggers unit near; do
    tried=$((tried + 1))
    [[ " ${rules[*]} " == *" $rule "* ]] || breach "$rule: there is no such rule"
    for file in "$triggers" "$near"; do
        for policy in strict typical; do
            [[ $file == - ]] || grep -qxF "$policy $file -" "$work/found" ||
                breach "$file: no report of it ($policy policy)"
        done
    done
    [[ $triggers == - ]] || grep -qxF "strict $triggers $rule" "$work/found" ||
        breach "$rule: not found in $triggers"
    [[ $unit == - ]] || grep -qF "\"$rule\"" "$unit" || breach "$rule: not asserted in $unit"
    for policy in strict typical; do
        if [[ $near != - ]] && grep -qxF "$policy $near $rule" "$work/found"; then
            breach "$rule: found in $near ($policy policy), which only looks so"
        fi
    done
done < <(jq -r '[.rule, .triggers // "-", .unit // "-", .not // "-"] | @tsv' $table)

echo "${#rules[@]} rules, $tried pairs, $failed failed"
((tried > 0 && failed == 0))
