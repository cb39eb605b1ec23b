#!/usr/bin/env bash
# Holds what `check` and `run` say about the broken scenarios of places.txt: the place is that of the offending
# key or value, not of the step around it; the message names it; the exit status is the documented one.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
unset "${!NCCL_@}" # the simulator heeds them
program=$(realpath "$NCCLSCRIPT") || exit 1
table=$(cd "$(dirname "$0")" && pwd)/places.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8
ran=0 failed=0 name=''

complain() { # WHAT EXPECTED GOT
    printf '%s: %s\n  expected  %s\n  got       %s\n' "$name" "$1" "$2" "$3"
    failed=$((failed + 1))
}

# Compares the first error of a command's output with the place, the text and the hint.
compare() { # COMMAND FILE
    local error hint
    error=$(grep -m 1 ': error: ' "$2")
    [[ $error == "$name:$place: error: "*"$text"* ]] || complain "$1" "$name:$place: error: ...$text..." "$error"
    hint=$(sed -n '/: error: /,$p' "$2" | sed '1d' | grep -m 1 -E '^  hint: |: error: ')
    [[ -z $meant || $hint == "  hint: "*"$meant"* ]] || complain "$1, its hint" "$meant" "$hint"
}

try() {
    local line=${place%%:*} column=${place#*:} here
    ran=$((ran + 1))
    here=$(sed -n "${line}p" "$name" 2>/dev/null)
    [[ $at == - || ${here:column-1} == "$at"* ]] || complain "what is at $place" "$at" "${here:column-1}"
    "$program" check -q "$name" >check.txt 2>&1 </dev/null
    status=$?
    ((status == 2)) || complain 'exit status of check' 2 "$status"
    compare check check.txt
    "$program" run "$name" >run.txt 2>&1 </dev/null
    status=$?
    ((status == exit)) || complain 'exit status of run' "$exit" "$status"
    ((exit == 2)) && compare run run.txt
    ((exit != 4)) || [[ $(head -n 1 run.txt) == ERROR* ]] || complain run "an ERROR" "$(head -n 1 run.txt)"
}

while IFS= read -r row; do
    case $row in
    '# '*) ;;
    '@ '*)
        [[ -z $name ]] || try
        IFS='|' read -r name place exit at text meant <<<"${row#@ }"
        : >"$name" ;;
    *)
        printf '%b\n' "$row" >>"$name" ;;
    esac
done <"$table"
try
echo "$ran broken scenarios, $failed complaints"
((ran > 60 && failed == 0))
