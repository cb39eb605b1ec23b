#!/usr/bin/env bash
# Small truths: each scenario asserts its own verdict. Its first comment lines say what its report has to print, and what not:
#
#   prints: TEXT        fixed text; may be repeated
#   never: TEXT         may be repeated
#   arguments: WORDS    of the command line, before the file
set -u
: "${NCCLSCRIPT:?the path of the binary}"
unset "${!NCCL_@}"
export LC_ALL=C.UTF-8
ran=0 failed=0
fail() {
    printf '%s: %s\n%s\n' "$1" "$2" "$output"
    failed=$((failed + 1))
}
said() { sed -nE '/^--/!q; s/^-- *'"$2"': //p' "$1"; }
for file in tests/scenarios/small/*.lua; do
    ran=$((ran + 1))
    read -ra words < <(said "$file" arguments; echo)
    output=$("$NCCLSCRIPT" run -v "${words[@]}" "$file" 2>&1) || fail "$file" "exit status $?"
    while IFS= read -r text; do
        [[ $output == *"$text"* ]] || fail "$file" "does not print: $text"
    done < <(said "$file" prints)
    while IFS= read -r text; do
        [[ $output != *"$text"* ]] || fail "$file" "prints: $text"
    done < <(said "$file" never)
done
echo "$ran scenarios, $failed failures"
((ran > 0 && failed == 0))
