#!/usr/bin/env bash
# Transcripts: what is typed (lines behind "> " and ">> ") must give each transcript again, byte for byte.
# The first line is the command. UPDATE=1 writes them anew; NAMES are those to look at.
set -u
program=${NCCLSCRIPT:?}
here=$PWD/tests/prompt
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch XDG_STATE_HOME=$scratch LC_ALL=C
cp -r "$here/files" "$scratch/work"
failed=0 run=0
for file in "$here"/*.txt; do
    name=$(basename "$file" .txt)
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    run=$((run + 1))
    read -ra words < <(sed -n '1s/^\$ ncclscript //p' "$file")
    sed -nE '2,$s/^>>? ?//p' "$file" >"$scratch/input"
    {
        head -n 1 "$file"
        (cd "$scratch/work" && timeout 600 "$program" "${words[@]}" --echo <"$scratch/input" 2>&1)
        echo "[status $?]"
    } >"$scratch/got"
    if [ "${UPDATE:-}" ]; then
        cp "$scratch/got" "$file"
    elif ! diff -u "$file" "$scratch/got"; then
        echo "$name: another transcript"
        failed=$((failed + 1))
    fi
done
echo "$run transcripts, $failed failed"
[ "$run" -gt 0 ] && [ "$failed" -eq 0 ]
