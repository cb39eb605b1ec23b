#!/usr/bin/env bash
# Files in good/ load without a word. What is said of bad/NAME.yaml is all in bad/NAME.txt, every
# complaint of the file with its place, the line and the caret.
# NCCLSCRIPT_WRITE=1 writes these texts anew, to be read before they are committed.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ran=0 failed=0

fail() { # FILE WHAT
    printf '%s: %s\n  again: cd %s && %s convert %s\n' "$1" "$2" "$PWD" "$program" "$1"
    failed=$((failed + 1))
}

for file in good/*.y*ml; do
    ran=$((ran + 1))
    "$program" convert "$file" >"$work/out" 2>"$work/err"
    status=$?
    ((status == 0)) && [[ ! -s $work/err ]] || fail "$file" "is good: $(head -n 1 "$work/err")"
done

for file in bad/*.yaml; do
    ran=$((ran + 1))
    want=${file%.yaml}.txt
    "$program" convert "$file" >"$work/out" 2>"$work/err"
    status=$?
    ((status == 2)) || fail "$file" "exit status $status"
    [[ ! -s $work/out ]] || fail "$file" "something is written to standard output"
    [[ -z ${NCCLSCRIPT_WRITE:-} ]] || cp "$work/err" "$want"
    grep -q "^$file:.*error: " "$want" || fail "$want" "no error of $file is in it"
    diff -u --label "$want" --label 'what was said' "$want" "$work/err" || fail "$file" "other complaints"
done
echo "$ran files, $failed failed"
((ran > 0 && failed == 0))
