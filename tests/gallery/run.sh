#!/usr/bin/env bash
# The corpus of bugs and their repaired twins, scenarios/bugs: every case is what it declares, under both
# policies and for NCCLSCRIPT_SEEDS seeds (5), said in the same words for every seed; nothing is said of
# a twin; who is blocked has a line in the report; and the reports reach the bar that `score` holds
# them to. What the corpus has to hold is held against `list --bugs`.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
[[ ${TSAN_OPTIONS:-} ]] && { echo "left out: nothing of this has threads; tests/scenarios runs it with some"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
program=$(realpath "$NCCLSCRIPT") || exit 1
seeds=${NCCLSCRIPT_SEEDS:-5}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# What there has to be: pairs of a case with a bug and the same case of its twin, entries of the
# catalogue that have a scenario; and how many files with a bug may lack entry or twin.
pairs=860 entries=68 loose=0
catalogue=(A{1..5} B{1..3} C{1..5} D{1..6} E{1..5} F{1..3} G{1..4} H{1..5} I{1..3} J{1..2} K{1..4} L{1..3}
    M{1..2} N{1..3} O{1..7} P{1..3} R{1..2} T{1..3})
declare -A class=([A]=participants [B]=order [C]=arguments [D]=p2p [E]=groups [F]=communicators [G]=streams
    [H]=lifecycle [I]=abort [J]=nonblocking [K]=buffers [L]=premulsum [M]=ranks [N]=numerics [O]=graphs
    [P]=environment [R]=resources [T]=teardown)
failed=0

fail() {
    printf '%s\n' "$*"
    failed=$((failed + 1))
}

# ---- the corpus ----

"$program" list --bugs >"$work/bugs" 2>"$work/err" </dev/null || fail "list --bugs: $(cat "$work/err")"
files=$(find scenarios/bugs \( -name '*.lua' -o -name '*.yaml' \) | wc -l)
(($(jq -rs 'map(.scenario) | unique | length' "$work/bugs") == files)) ||
    fail "list --bugs has not all of the $files files"

cut='map(select(.policy == "strict"))' # each case once
has_pair='(map(select(.correct)) | map([.scenario, .name]) | unique) as $twins | map(select(.correct | not)) |
    map(select([.twin, .name] as $own | $twins | any(. == $own)))'
have=$(jq -s "$cut | $has_pair | length" "$work/bugs")
((have >= pairs)) || fail "$have labelled pairs, at least $pairs there should be"

mapfile -t found < <(jq -rs 'map(select((.correct | not) and .entry)) | map(.entry) | unique | .[]' "$work/bugs")
sorted() {
    (($# == 0)) || printf '%s\n' "$@" | sort
}
mapfile -t unknown < <(comm -13 <(sorted "${catalogue[@]}") <(sorted "${found[@]}"))
((${#unknown[@]} == 0)) || fail "entries that the catalogue has not: ${unknown[*]}"
mapfile -t absent < <(comm -23 <(sorted "${catalogue[@]}") <(sorted "${found[@]}"))
((${#catalogue[@]} - ${#absent[@]} >= entries)) ||
    fail "of ${#catalogue[@]} entries at least $entries should have a scenario; there is none of: ${absent[*]}"

# A bug without an entry, without a twin, or whose twin has other cases.
mapfile -t lacking < <(jq -rs 'group_by(.scenario) | map({ key: .[0].scenario, value: . }) | from_entries as $all |
    $all | to_entries | map(.value) | map(select(.[0].correct | not)) | .[] | .[0] as $bug |
    if $bug.entry | not then $bug.scenario + ": no entry"
    elif $bug.twin | not then $bug.scenario + ": no twin"
    elif $all[$bug.twin] | map([.name, .policy]) != ($all[$bug.scenario] | map([.name, .policy]))
    then $bug.scenario + ": its twin has other cases" else empty end' "$work/bugs")
((${#lacking[@]} <= loose)) || {
    printf '%s\n' "${lacking[@]}"
    fail "${#lacking[@]} scenarios lack entry or twin, at most $loose may"
}
while read -r file entry group nccl; do
    [[ $group == "${class[${entry:0:1}]:-}" ]] || fail "$file: entry $entry belongs into ${class[${entry:0:1}]:-}"
    [[ $nccl ]] || fail "$file: not said what NCCL does"
done < <(jq -r 'select((.correct | not) and .entry) | [.scenario, .entry, .class, .nccl // ""] | join(" ")' "$work/bugs" |
    sort -u)
while read -r file; do
    fail "$file: repairs nothing: there is no bug of this name"
done < <(jq -r 'select(.correct and (.twin | not)) | .scenario' "$work/bugs" | sort -u)

# ---- the reports ----

for policy in strict typical; do
    "$program" run --timeout 60s --format json --no-times --policy "$policy" --repeat "$seeds" -j 2 scenarios/bugs \
        2>"$work/err" </dev/null
    [[ ! -s $work/err ]] || fail "$policy: said on standard error: $(head -n 3 "$work/err")"
done >"$work/reports"
cases=$(wc -l <"$work/bugs") # of both policies
reports=$(wc -l <"$work/reports")
((reports == cases * seeds)) || fail "$reports reports of $cases cases with $seeds seeds each"

# "! WHAT" and how to see it again, and "= KEY WORDS" of what has to be said alike for every seed. Of several
# seeds the name has the one.
jq -r --arg program "$program" '(.scenario + if .name then "[" + .name + "]" else "" end) as $name |
    ("\n  again: " + $program + " run -v --policy " + .policy + " \u0027" + $name + "\u0027") as $again |
    if .as_expected | not then "! " + $name + ": " + .verdict + ": " + (.difference // .message) + $again
    elif (.scenario | contains("/fixed/")) and .findings != []
    then "! " + $name + ": nothing is wrong with it, got " + (.findings | map(.rule) | join(", ")) + $again
    else empty end,
    "= " + ([.scenario, .case, .policy] | tojson) + "\t" + ([.findings[] | .why, .fix] | tojson)' "$work/reports" >"$work/told"
while IFS= read -r line; do
    case $line in
    '! '*) fail "${line#! }" ;;
    *) echo "$line" ;;
    esac
done < <(grep -v '^= ' "$work/told")
while IFS= read -r line; do
    fail "said otherwise with another seed: $line"
done < <(grep '^= ' "$work/told" | sort -u | cut -f 1 | uniq -d)

# Everybody who is blocked is told of.
"$program" run -v --timeout 60s --no-times --policy strict scenarios/bugs >"$work/text" 2>/dev/null </dev/null
jq -r 'select(.policy == "strict" and .seed == 0 and .findings != []) |
    (.name // "" | sub(",?seed=0$"; "")) as $name |
    [.scenario + if $name != "" then "[" + $name + "]" else "" end, (.findings[].blocked[] | tostring)] | join(" ")' \
    "$work/reports" >"$work/blocked"
while read -r line; do
    fail "$line"
done < <(awk -f tests/hangs/told.awk "$work/text" "$work/blocked")
[[ -s $work/blocked ]] || fail "nobody is blocked anywhere"

"$program" score --all "$work/reports" || fail "the score is not met"
echo "$have labelled pairs, ${#found[@]} of ${#catalogue[@]} entries, ${#lacking[@]} files that lack entry or twin;" \
    "$reports reports, $failed failed"
((reports > 0 && failed == 0))
