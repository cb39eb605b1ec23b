#!/usr/bin/env bash
# Random programs in which one rank does one thing otherwise: what a run of each comes to and who is to blame
# is known by construction and by a model of matching (programs/model.lua). Held against it are verdict,
# culprit, class and repair, by bars.tsv; the correct program of each pair has to pass with nothing found. What
# PyTorch's Flight Recorder would leave of a hang is diagnosed, too.
# NCCLSCRIPT_PROGRAMS of them (600) from number 1 on, and half as many from a number of today's.
# NCCLSCRIPT_FAMILY: random (programs/workloads.lua and mutations.lua), training (training.lua and bugs.lua), or
# strangers (tests/strangers, which leaves no dumps).
#
# One of them again: NCCLSCRIPT_FIRST=NUMBER NCCLSCRIPT_PROGRAMS=1 NCCLSCRIPT_KEEP=DIR tests/truth/run.sh
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
[[ ${TSAN_OPTIONS:-} ]] && { echo "left out: nothing of this has threads of the system"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
here=tests/truth
program=$(realpath "$NCCLSCRIPT") || exit 1
programs=${NCCLSCRIPT_PROGRAMS:-600} first=${NCCLSCRIPT_FIRST:-} family=${NCCLSCRIPT_FAMILY:-random} today=$(date +%Y%m%d)
work=$(mktemp -d) || exit 1
trap '[[ ${NCCLSCRIPT_KEEP:-} ]] && cp -r "$work/." "$NCCLSCRIPT_KEEP"; rm -rf "$work"' EXIT
failed=0

fail() {
    printf '%s\n' "$*"
    failed=$((failed + 1))
}

write() { # FIRST COUNT
    if [[ $family == strangers ]]; then
        python3 tests/strangers/programs.py "$work" "$1" "$2" >"$work/err" 2>&1
    else
        "$program" run -q --unsafe --set first="$1" --set count="$2" --set out="$work" --set family="$family" \
            $here/programs/write.lua >"$work/err" 2>&1
    fi || fail "programs from $1 on: $(cat "$work/err")"
    cat "$work/truth" >>"$work/truths"
}

mkdir "$work/correct" "$work/mutant" "$work/dumps"
write "${first:-1}" "$programs"
[[ $first ]] || write "${today}000" $(((programs + 1) / 2))
[[ $first ]] || echo "today's programs begin with number ${today}000"

"$program" run --no-times --timeout 60s --format json -j 2 "$work/correct" >"$work/correct.json" 2>"$work/err" </dev/null
"$program" run --no-times --timeout 60s --format json -j 2 --repair "$work/mutant" >"$work/mutant.json" \
    2>>"$work/err" </dev/null
head -n 3 "$work/err"

jq -r 'select(.verdict != "pass" or .findings != []) |
    "\(.scenario | sub(".*/"; "")) is correct: \(.message), found \([.findings[].rule])"' "$work/correct.json" >"$work/accused"
while read -r line; do fail "$line"; done < <(head -n 10 "$work/accused")

shopt -s nullglob
for folder in "$work"/dumps/*; do
    "$program" diagnose --format json "$folder"
done >"$work/dumps.json" 2>"$work/err" </dev/null
head -n 3 "$work/err"

judge() { # WHAT FILTER: reports of what, of those truths that the filter takes
    local want
    jq -nc --slurpfile truth "$work/truths" -f $here/judge.jq "$work/$1.json" >"$work/$1.judged" ||
        fail "no judgement of $1"
    want=$(jq "select($2) | 1" "$work/truths" | wc -l) judged=$(wc -l <"$work/$1.judged")
    ((judged == want && judged > 0)) || fail "$1: $judged reports where $want are expected"
}
[[ $family == strangers ]] || judge dumps .dumped
judge mutant true

table() { # WHAT KEY
    jq -r "[$2, .verdict, .culprit, .sure, .class, .repaired, .small, .whole | tostring] | @tsv" "$work/$1.judged" |
        awk -f $here/table.awk
}
table mutant .workload
table mutant .mutation
{
    table mutant .shape
    table mutant '"all"' | tail -n 1
    [[ $family == strangers ]] || table dumps '"dumps"' | tail -n 1
} | tee "$work/all"

# A line for each kind of failure that a bar stops: its program, what is true, what is said.
jq -r 'select((.verdict | not) or .sure) | "\(.file) \(.truth.shape) \(.truth.ranks) ranks, \(.truth.mutation): " +
    "\(.truth.verdict) by \(.truth.culprits); said: \(.said | tojson)"' "$work/mutant.judged" | head -n 10

while read -r of line figure relation bar; do
    [[ $of == "$family" ]] || continue
    awk -v line="$line" -v figure="$figure" -v relation="$relation" -v bar="$bar" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == figure) at = i + 1 }
        $1 == line { met = relation == "least" ? $at + 0 >= bar : $at + 0 <= bar }
        END { exit !met }' "$work/all" || fail "$line: $figure is not at $relation $bar"
done < <(grep -v '^#' $here/bars.tsv)
echo "$judged mutants, $failed failed"
((failed == 0))
