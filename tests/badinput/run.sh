#!/usr/bin/env bash
# Holds the complaints about bad scenarios against table.txt: text, line and exit status.
set -u
unset "${!NCCL_@}" # the simulator heeds them
here=$(cd "$(dirname "$0")" && pwd)
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$here" || exit 1
export LC_ALL=C

ran=0 failed=0

complain() { # FILE WHAT EXPECTED GOT
    printf '%s: %s\n  expected  %s\n  got       %s\n  again     cd %s && %s run %s\n' \
        "$1" "$2" "$3" "$4" "$here" "$program" "$1"
    failed=$((failed + 1))
}

while read -r name when line text; do
    [[ -z $name || $name == '#'* ]] && continue
    file=files/$name.lua
    [[ $line == - ]] && place=$file || place=$file:$line
    "$program" run "$file" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    ran=$((ran + 1))
    [[ $when == run ]] && exit=4 || exit=2
    case $when in
    load)
        want="$place: error: $text"
        got=$(head -n 1 "$work/err")
        [[ -s $work/out ]] &&
            complain "$file" "standard output" "nothing" "$(head -n 1 "$work/out")" ;;
    run | late)
        want="$text  line $line"
        got=$(sed -nE '0,/^    ranks? 0/s/^    ranks? [0-9., ]*[0-9]  (.*[^ ]) +line ([0-9]+)$/\1  line \2/p' \
            "$work/out") ;;
    *)
        echo "table.txt: $name: no such time: $when"
        failed=$((failed + 1))
        continue ;;
    esac
    ((status == exit)) || complain "$file" "exit status" "$exit" "$status"
    [[ $got == "$want" ]] || complain "$file" "complaint" "$want" "$got"

    checked=$("$program" check -q "$file" </dev/null)
    status=$?
    [[ $line == - ]] && line=1
    ((status == 2)) || complain "$file" "exit status of check" 2 "$status"
    [[ $checked == "$file:${line%%:*}:"*": error: "* ]] ||
        complain "$file" "what check says" "$file:${line%%:*}:" "${checked%%$'\n'*}"
done <table.txt

for file in files/*.lua; do
    name=$(basename "$file" .lua)
    grep -q "^$name " table.txt && continue
    echo "$file: not in table.txt"
    failed=$((failed + 1))
done
echo "$ran bad scenarios, $failed complaints"
((ran > 0 && failed == 0))
