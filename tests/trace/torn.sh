#!/usr/bin/env bash
# Records that are not whole: dumps without sizes, states or groups, files that are cut off, logs that have lost
# lines. What they do not say accuses nobody, and what is found in spite of it says what else it could be.
set -u
unset "${!NCCL_@}"
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
lua=$(command -v lua5.4 || command -v lua)
if [ -z "$lua" ] || ! "$lua" -e 'os.exit(_VERSION == "Lua 5.4")' || ! command -v jq >/dev/null; then
    echo "skipped: no Lua 5.4 interpreter, or no jq"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
"$lua" "$here/make.lua" "$work" >/dev/null || { echo "the traces cannot be made"; exit 1; }
cd "$work" || exit 1
ran=0 failed=0

fail() {
    printf '%s: %s\n' "$name" "$*"
    sed 's/^/  /' report.text
    failed=$((failed + 1))
}

# begin NAME CASE: what is damaged is a copy of the case.
begin() {
    name=$1
    rm -rf damaged
    cp -r "$2" damaged
}

# dumps FILTER [RANK...]: changes the dumps of these ranks, or all.
dumps() {
    local filter=$1 file
    shift
    for file in ${*:-0 1 2 3}; do
        file=damaged/nccl_trace_rank_$file.json
        jq "$filter" "$file" >changed.json && mv changed.json "$file"
    done
}

# found STATUS RULE CULPRITS: of the first error, or - -; of no report STATUS and nothing
found() {
    local status got
    ran=$((ran + 1))
    "$program" diagnose damaged >report.text 2>&1 </dev/null
    "$program" diagnose --format json damaged >report.json 2>/dev/null </dev/null
    status=$?
    got=$(jq -r '[.findings[] | select(.level == "error")] | if length == 0 then "- -" else .[0] |
        "\(.rule) \([.culprits[].rank | tostring] | join(","))" end' report.json 2>&1)
    [ "$status $got" = "$*" ] || fail "expected $*, got $status $got"
}
says() { grep -qF -- "$1" report.text || fail "no \`$1\` in the report"; }
says_nothing() { ! grep -qF -- "$1" report.text || fail "\`$1\` in the report"; }
unsized='.entries |= map(del(.input_sizes, .output_sizes, .input_dtypes, .output_dtypes))'
states='.entries |= map(.state = "scheduled" | .retired = false)'

begin "no sizes in any dump" right.fr_json
dumps "$unsized"
found 0 - -
begin "no sizes in one dump" right.fr_json
dumps "$unsized" 1
found 0 - -
begin "empty lists of sizes" right.fr_json
dumps '.entries |= map(.input_sizes = [] | .output_sizes = [])' 0 2
found 0 - -
begin "no sizes, and a call too few" behind.fr_json
dumps "$unsized"
found 3 skipped-call 1
says_nothing ' x 0'
says_nothing ' x 1 '
says_nothing 'dtype'
begin "a size of nothing" count.fr_json
dumps '.entries[1] |= (.input_sizes = [[0]] | .output_sizes = [[0]])' 2
found 3 zero-count 2

begin "retired without a state" right.fr_json
dumps '.entries |= map(.state = "scheduled" | .retired = true)'
found 0 - -
says_nothing 'is not over'
begin "the group's status alone" operator.fr_json
dumps "$states | .pg_status = { \"0\": { last_completed_collective: \"1\" } }"
found 0 - -
says_nothing 'is not over'
begin "nothing is over" operator.fr_json
dumps "$states | .pg_status = { \"0\": { last_completed_collective: \"-1\" } }"
found 3 - -
says 'is not over'
begin "retired when it ran out of time" skipped.fr_json
dumps "$states | .entries |= map(.retired = true) | .pg_status = { \"0\": { last_completed_collective: 1 } }"
found 3 skipped-call 2

begin "no groups" right.fr_json
dumps 'del(.pg_config)'
found 0 - -
says 'pg_config does not say which ranks are in 3 groups'
begin "no groups in one dump" right.fr_json
dumps 'del(.pg_config)' 2
found 0 - -
begin "an order of groups that nobody describes" opposite.fr_json
dumps 'del(.pg_config)'
found 3 comm-order 3
says 'it could also be that a group has other ranks than those that use it'

begin "a dump that is cut off" skipped.fr_json
truncate -s 700 damaged/nccl_trace_rank_3.json
found 3 skipped-call 2
says 'the dump of rank 3 cannot be read'
says_nothing 'left no dump'
says 'rank 3  unknown: left a dump that cannot be read'
begin "a dump is missing, and calls of the others differ" "$here/hand/dumps"
rm damaged/nccl_trace_rank_3.json
found 3 skipped-call 2
says 'rank 3  unknown: left no dump'
says 'rank 2  call 3 is AllReduce float32 x 4194304'
says 'ranks 0, 1 made 4'
begin "a dump is empty, and the counts of the others differ" count.fr_json
: >damaged/nccl_trace_rank_1.json
found 3 count-mismatch 2
says 'rank 1  unknown: left a dump that cannot be read'
begin "two dumps are missing, and the other two differ" "$here/hand/dumps"
rm damaged/nccl_trace_rank_[03].json
found 3 skipped-call 2
says 'or    it could also be that rank 2 is right: a rank whose dump is missing may have made the same calls'
begin "the dump of the culprit is missing" behind.fr_json
rm damaged/nccl_trace_rank_1.json
found 3 rank-lost 1
says 'or    it could also be that rank 1 waits like the others: it left no dump'
begin "the dump of the culprit is cut off" behind.fr_json
truncate -s 700 damaged/nccl_trace_rank_1.json
found 3 rank-lost 1
says 'rank 1 left a dump that cannot be read'
says 'or    it could also be that rank 1 waits like the others: its dump cannot be read'
begin "all dumps are cut off" skipped.fr_json
truncate -s 700 damaged/*
found 2 ''
says 'no JSON'

begin "a whole log that is shorter" skipped.logs
found 3 skipped-call 2
says_nothing 'lost'
begin "a log that ends early" count.logs
sed -i '$d' damaged/rank3.log
found 3 skipped-call 3
says 'or    it could also be that rank 3 made the missing calls, if the end of its log is lost'
begin "a log that ends in the middle of a line" count.logs
truncate -s -30 damaged/rank3.log
found 3 skipped-call 3
says 'or    it could also be that rank 3 made the missing calls: its log ends in the middle of a line, damaged/rank3.log:'
begin "one log of all, cut off in the middle of a line" "$here/hand"
rm -r damaged/dumps damaged/split.log damaged/*.txt
truncate -s 3100 damaged/job.log
found 5 - -
says 'the log ends in the middle of a line, damaged/job.log:21: the rest is lost'
begin "one log of all, cut off between the lines of a split" "$here/hand"
rm -r damaged/dumps damaged/split.log damaged/*.txt
sed -i '13,$d' damaged/job.log
found 5 - -
says '4 ranks, NCCL log'
says 'the log has lost lines: it shows 1 of the 2 ranks of world/split1.0'
begin "a log that has lost lines" right.logs
sed -i '/Broadcast: opCount 1/d' damaged/rank0.log
found 3 skipped-call 0
says 'the log of rank 0 has lost lines: on world operation 2 follows 0'
says 'or    it could also be that rank 0 made the missing calls: its log has lost lines'

echo "$ran records, $failed failures"
[ "$failed" = 0 ]
