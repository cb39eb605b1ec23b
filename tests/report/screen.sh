#!/usr/bin/env bash
# Whatever goes wrong on 64 or 1024 ranks, its report fits a screen: 40 lines of 100 columns, with the
# cause and what to change; all of the ranks are in the JSON. The scenarios are in tests/report/wide.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
looked=0 failed=0

complain() { # FILE RANKS WHAT
    echo "$1 with $2 ranks: $3"
    cat "$work/text"
    failed=$((failed + 1))
}

sizes=(64 1024)
[[ ${ASAN_OPTIONS:-} ]] && sizes=(64) # of 1024 there are the reports in JSON
files=(wide/*.lua)
for ranks in "${sizes[@]}"; do
    for file in "${files[@]}"; do
        # Everybody waits for everybody there: the graph has a million edges.
        [[ $ranks == 1024 && $file == wide/keys.lua ]] && continue
        "$program" run --timeout 60s -n $ranks "$file" >"$work/text" 2>&1 </dev/null
        status=$?
        looked=$((looked + 1))
        ((status >= 1 && status <= 4)) || complain "$file" $ranks "exit $status"
        lines=$(fold -w 100 "$work/text" | wc -l)
        ((lines <= 40)) || complain "$file" $ranks "$lines lines"
        [[ $file == wide/expectations.lua ]] && continue # it has no rule to explain
        for key in why fix; do
            grep -q "^  $key " "$work/text" || complain "$file" $ranks "no \"$key\""
        done
    done
done

# FILE, and what of the JSON has to be true.
while read -r name test; do
    "$program" run --format json --timeout 60s "wide/$name.lua" >"$work/text" 2>/dev/null </dev/null
    looked=$((looked + 1))
    jq -e "$test" "$work/text" >/dev/null || complain "wide/$name.lua" 1024 "not so: $test"
done <<'END'
half_skip .findings[0].blocked|length==512
half_skip .findings[0].culprits|map(.rank)==[range(1;1024;2)]
sends .findings|length==512
no_two_agree .findings[0].culprits|length==1024
ring .findings[0].cycle|length==1024
comm_order .findings[0].blocked==[range(1024)]
END

echo "$looked reports, $failed failed"
((${#files[@]} > 15 && looked > ${#files[@]} && failed == 0))
