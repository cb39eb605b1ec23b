#!/usr/bin/env bash
# Traces of jobs that go wrong in one known way, in each format: verdict, rule, culprits and call.
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
"$lua" "$here/make.lua" "$work" >"$work/table" || { echo "the traces cannot be made"; exit 1; }
cd "$work" || exit 1

ran=0 failed=0
fail() { # NAME WHAT EXPECTED GOT
    printf '%s: %s: expected %s, got %s\n' "$@"
    failed=$((failed + 1))
}

while IFS=$'\t' read -r name exit rule culprits call says; do
    ran=$((ran + 1))
    "$program" diagnose --format json "$name" >report.json 2>err </dev/null
    status=$?
    [ "$status" = "$exit" ] || fail "$name" "exit status" "$exit" "$status $(head -n 1 err)"
    got=$(jq -r '[.findings[] | select(.level == "error")] | if length == 0 then "-\t-\t-" else .[0] |
        "\(.rule)\t\([.culprits[].rank | tostring] | join(","))\t\(.call)" end' report.json)
    IFS=$'\t' read -r got_rule got_culprits got_call <<<"$got"
    [ "$got_rule" = "$rule" ] || fail "$name" rule "$rule" "$got_rule"
    [ "$got_culprits" = "$culprits" ] || fail "$name" culprits "$culprits" "$got_culprits"
    [ "$call" = - ] || [ "$got_call" = "$call" ] || fail "$name" call "$call" "$got_call"
    [ "$exit" != 3 ] || [ "$(jq -r .certainty report.json)" = likely ] || fail "$name" certainty likely other
    for format in text tree dot; do
        "$program" diagnose --format "$format" "$name" >"report.$format" 2>err </dev/null
        [ $? = "$exit" ] || fail "$name" "exit status of $format" "$exit" other
        grep -q 'line 1000000\|: 1000000' "report.$format" && fail "$name" "$format" "names of places" numbers
    done
    [ "$says" = - ] || grep -qF -- "$says" report.text || fail "$name" "the report" "\`$says\`" "$(cat report.text)"
done <table
# Written by hand after the forms that are documented, with the whole report beside them.
cd "$here/hand" || exit 1
for report in *.txt; do
    name=${report%.txt}
    [ -e "$name" ] || name=$name.log
    ran=$((ran + 1))
    "$program" diagnose "$name" >"$work/got" 2>&1 </dev/null
    status=$?
    [ "$status" = 3 ] || fail "$name" "exit status" 3 "$status"
    diff -u "$report" "$work/got" || fail "$name" "the report" "$report" "another"
done
[ "$ran" -gt 60 ] || fail all "traces" "more than 60" "$ran"
echo "$ran traces, $failed failures"
[ "$failed" = 0 ]
