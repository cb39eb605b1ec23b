#!/usr/bin/env bash
# Correct programs drawn at random are never accused: each passes with nothing found, under both policies
# and with schedules drawn from its seed, every result is verified or has a reason why not; and a result
# that is spoilt in one of them is found. NCCLSCRIPT_PROGRAMS of them (600) from seed 1 on, and half as
# many from a seed of today's.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
programs=${NCCLSCRIPT_PROGRAMS:-600} today=$(date +%Y%m%d)
file=tests/correct/programs/random.lua
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 ran=0
worlds=6 # cases of the file's matrix

# programs COUNT SEED FILTER OPTION...: each line that jq makes of the reports is a failure
programs() {
    local count=$1 seed=$2 filter=$3 line status=0
    shift 3
    "$NCCLSCRIPT" run --timeout 60s --seed "$seed" --repeat $(((count + worlds - 1) / worlds)) \
        --format json "$@" "$file" >"$work/json" 2>"$work/err" </dev/null || status=$?
    ((status == 0)) || { failed=$((failed + 1)); echo "exit status $status with seed $seed $*"; }
    while read -r line; do
        failed=$((failed + 1))
        ((failed > 20)) || echo "$line: $NCCLSCRIPT run --seed ${line%% *} $* '$file[ranks=$(cut -d' ' -f2 <<<"$line")]'"
    done < <(jq -r "$filter" "$work/json" 2>&1)
    ran=$((ran + $(wc -l <"$work/json")))
    head -n 3 "$work/err"
}

correct='select(.verdict != "pass" or .findings != [] or
                .unchecked != ([.unverified[].count] | add // 0)) |
    "\(.seed) \(.ranks) \(.message), found \([.findings[].rule]), \(.checked) verified, \(.unchecked) not"'
found='[.output[] | capture("spoilt: rank (?<rank>[0-9]+) element (?<first>[0-9]+)") | map_values(tonumber)] as $at |
    select(($at | length) != 1 or
           (any(.wrong[]; (.expect | not) and .rank == $at[0].rank and .first == $at[0].first) | not)) |
    "\(.seed) \(.ranks) \(.message), spoilt was \($at)"'

if [[ ${TSAN_OPTIONS:-} ]]; then # sees the runs that have threads
    programs $((programs / 10)) 1 "$correct" --ranks-as thread
else
    programs "$programs" 1 "$correct"
    programs $((programs / 2)) 1 "$correct" --policy typical
    programs $((programs / 10)) 1 "$correct" --ranks-as thread
    programs "$programs" 1 "$found" --set spoil=true
    programs $((programs / 2)) "${today}000" "$correct"
    echo "today's seeds begin with ${today}000"
fi
echo "$ran programs, $failed failed"
((ran > 0 && failed == 0))
