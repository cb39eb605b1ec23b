#!/usr/bin/env bash
# --debug=diagnosis and decided_by: the comparison that the report names is in the code at the line that the report names, each
# name is cited in one function, candidates have numbers, and without the option nothing of it is printed.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export NCCLSCRIPT_QUIET=1
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

# ---- the table ----
declare -A id_of
while IFS=, read -r id name; do
    id_of[$name]=$id
    cited=$(find src -name '*.c' -print0 | xargs -0 awk -v call="NCS_(BY|AT)[(].*, $id[,)]" '
        FNR == 1 || /^}/ { number++ }
        $0 ~ call { print number }' | sort -u | wc -l)
    ((cited == 1)) || fail "$id is cited in $cited functions, not in one"
done < <(sed -n 's/^NCS_DECISION(\([A-Z_]*\), "\([a-z-]*\)", ".*")$/\1,\2/p' src/diagnose/decisions.def)
((${#id_of[@]} >= 30)) || fail "only ${#id_of[@]} decisions"
"$NCCLSCRIPT" explain diagnosis >"$work/page"
for name in "${!id_of[@]}"; do
    grep -q "^    $name  " "$work/page" || fail "explain diagnosis lacks $name"
done

# cited REPORT: each line "NAME: ... (FILE:LINE)" names the line of the code that cites NAME.
cited() {
    local name place lines=0
    while read -r name place; do
        lines=$((lines + 1))
        sed -n "${place#*:}p" "src/${place%:*}" | grep -q "NCS_\(BY\|AT\)(.*, ${id_of[$name]:-no such name}[,)]" || fail "$1: $name is not at $place"
    done < <(sed -n 's/^  debug     *\([a-z-]*\): .* (\([a-z_/]*\.c:[0-9]*\))$/\1 \2/p' "$1")
    ((lines > 0)) || fail "$1 names no line of code"
}

# decided NAME FILE: so the first finding was decided, in JSON and for people; without the option the rest is equal. NAME may be two:
# decided by and kept by.
decided() {
    local file=$work/${2//\//_} said by=${1%% *} kept=
    [[ $1 != *" "* ]] || kept="; kept by ${1##* }: "
    said=$("$NCCLSCRIPT" run --format json --no-times "${@:2}" | jq -r '.findings[0] | .decided_by + (if .kept_by then " " + .kept_by else "" end)' |
        head -n 1) || fail "$2: no JSON"
    [ "$said" = "$1" ] || fail "$2: decided by $said, not $1"
    "$NCCLSCRIPT" run -v --no-times "${@:2}" >"$file.off"
    "$NCCLSCRIPT" run -v --no-times --debug=diagnosis "${@:2}" >"$file.on"
    grep -Eq "^  debug  finding 1, (candidate [0-9]+, )?[a-z0-9-]*, decided by $by: .*$kept" "$file.on" || fail "$2: the report does not name $1"
    grep -v '^  debug  ' "$file.on" | diff "$file.off" - >/dev/null || fail "$2: --debug changes more than its lines"
    ! grep -q '^  debug' "$file.off" || fail "$2: lines without the option"
    cited "$file.on"
}
decided ground scenarios/bugs/abort/abort_in_call.lua
decided breakers scenarios/bugs/communicators/comm_order.lua -k ranks=2
decided "number trial-confirms" scenarios/bugs/graphs/captured_on_one.lua
decided "value-tie trial-within" scenarios/bugs/participants/kind_mismatch.lua
decided trial-refutes scenarios/bugs/lifecycle/split_color_differs.lua
decided values scenarios/bugs/arguments/count_mismatch.lua
decided majority scenarios/bugs/order/moved_call.lua
decided tie scenarios/bugs/order/two_orders.lua
decided number scenarios/bugs/lifecycle/split_instead_of_call.lua
decided access scenarios/bugs/buffers/too_small.lua
decided odd-order scenarios/bugs/teardown/child_first.lua
decided other-meeting scenarios/bugs/lifecycle/shrink_missing_rank.lua

# ---- what was weighed ----
on=$work/scenarios_bugs_graphs_captured_on_one.lua.on
grep -Eq '^  debug    candidate 1: rank [0-9]+: .*: ranks 1, size [0-9]+, further -?[0-9]+, kind [0-2], supposed [0-9]+, edits [0-9]+.*; the rehearsal frees all$' "$on" ||
    fail "no candidate with its cost and rehearsal"
grep -Eq '^  debug    alternative: candidate 1, .*: tier 0, known to the rules' "$on" || fail "no alternative with what speaks for it"
grep -Eq '^  debug    trial of candidate 1: skipped-call: rank [0-9]+: .*: pass, stands' "$on" || fail "no trial with its outcome"
grep -Eq '^  debug    ground: [a-z-]+ \([a-z]+\) before [a-z-]+ \([a-z]+\)' "$work"/*.on || fail "no rule that lost"

on=$work/scenarios_bugs_lifecycle_split_color_differs.lua.on
grep -Eq '^  debug    before it, comm-order, decided by [a-z-]+: rank' "$on" && grep -Eq '^  debug      ground: comm-order \(order\)' "$on" ||
    fail "nothing of the cause that lost"
"$NCCLSCRIPT" run -v --debug=diagnosis tests/hangs/cases/tangled_three_comms.lua >"$work/several" 2>&1
grep -q '^  tried .*there may be another mistake$' "$work/several" && grep -q '^  fix ' "$work/several" &&
    grep -q '^  debug    trial of candidate [0-9]*: .*, kept as one of several mistakes' "$work/several" || fail "no change that is one of several"
grep -q '^  debug    trial of candidate [0-9]*: .*: hang, refuted' "$work"/*.on "$work/several" || fail "no trial that refutes"


# A candidate has one number, in the text and in JSON: where it is listed, tried, and the cause.
on=$work/scenarios_bugs_lifecycle_split_color_differs.lua.on
candidate=$(sed -nE 's/^  debug  finding 1, candidate ([0-9]+), .*/\1/p' "$on" | head -n 1)
for line in "candidate ${candidate:-0}: " "alternative: candidate ${candidate:-0}, " "trial of candidate ${candidate:-0}: " \
    "trial-refutes: candidate ${candidate:-0}, skipped-call instead of comm-order"; do
    grep -q "^  debug    $line" "$on" || fail "no line: $line"
done
"$NCCLSCRIPT" run --format json --no-times scenarios/bugs/lifecycle/split_color_differs.lua | head -n 1 | jq -e --argjson n "${candidate:-0}" \
    '(.findings[0].candidate == $n) and any(.trials[]; .candidate == $n and .verdict == "pass") and any(.trials[]; .candidate == null)' \
    >/dev/null || fail "JSON: not the number of the candidate"

# ---- the other doors ----
"$NCCLSCRIPT" run --dump fr "$work/dump" "scenarios/bugs/arguments/count_mismatch.lua[ranks=4,count=1,odd=0]" >/dev/null 2>&1
dumped=$(find "$work/dump" -name '*rank*' -printf '%h\n' 2>/dev/null | sort -u | head -n 1)
"$NCCLSCRIPT" diagnose "${dumped:-none}" >"$work/off" 2>&1
"$NCCLSCRIPT" diagnose --debug=diagnosis "${dumped:-none}" >"$work/recorded" 2>&1
grep -q '^  debug  finding 1, ' "$work/recorded" || fail "diagnose: no line"
grep -v '^  debug  ' "$work/recorded" | diff "$work/off" - || fail "diagnose: --debug changes more than its lines"
cited "$work/recorded"
train=$(dirname "$NCCLSCRIPT")/tests/exec/exec_train
if [ -x "$train" ] && [ -z "${TSAN_OPTIONS:-}" ]; then
    timeout 60 "$NCCLSCRIPT" exec --debug=diagnosis -n 4 -- "$train" 2>"$work/program" >/dev/null
    grep -q '^  debug  finding 1, ' "$work/program" || fail "exec: no line: $(head -c 600 "$work/program")"
    cited "$work/program"
fi
for command in "run --debug=diagnosis --format json scenarios/bugs/abort/abort_in_call.lua" "diagnose --debug=diagnosis --format json $work" \
    "exec --debug=diagnosis --format json -- true" "run --debug=all scenarios/bugs/abort/abort_in_call.lua"; do
    "$NCCLSCRIPT" $command >"$work/refused" 2>&1
    [ $? = 2 ] && grep -q -- '--debug' "$work/refused" || fail "$command: is not refused"
done
((failed == 0))
