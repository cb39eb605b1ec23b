#!/usr/bin/env bash
# A scenario replaces neither the files it is made from nor anything that has no name.
set -u
. "$(dirname "$0")/common.bash"

# kept NAME FILE PATTERN COMMAND...: the command is refused with the message, and the file is as before.
kept() {
    local name=$1 file=$2 pattern=$3
    cp "$file" "$work/before"
    shift 3
    status "$name" 2 "$@"
    expect "$name" "$work/err" "$pattern"
    cmp -s "$file" "$work/before" || fail "$name: the file has changed"
}

cp -r tests/trace/hand/dumps "$work/dumps"
dump=$(find "$work/dumps" -type f | sort | head -n 1)
kept "a dump in the folder" "$dump" 'this is a file that diagnose reads, and is not replaced' \
    "$NCCLSCRIPT" diagnose -q "$work/dumps" --scenario "$dump" --force
kept "a dump by another path" "$dump" 'this is a file that diagnose reads' \
    "$NCCLSCRIPT" diagnose -q "$work/dumps" --scenario "$work/dumps/../dumps/$(basename "$dump")" --force
kept "the dump itself" "$dump" 'this is a file that diagnose reads' "$NCCLSCRIPT" diagnose -q "$dump" --scenario "$dump" --force

job job.lua
ln -s job.lua "$work/link.lua"
for file in job.lua link.lua; do
    kept "record: $file" "$work/job.lua" 'would replace the scenario' "$NCCLSCRIPT" run -q "$work/job.lua" --record "$work/$file"
    kept "shrink: $file" "$work/job.lua" 'would replace the scenario' "$NCCLSCRIPT" shrink -q "$work/job.lua" -o "$work/$file" --force
    kept "shrink from $file" "$work/job.lua" 'would replace the scenario' \
        "$NCCLSCRIPT" shrink -q "$work/$file" -o "$work/job.lua" --force
done

# These are options that take the name of a file.
status "diagnose to standard output" 2 "$NCCLSCRIPT" diagnose -q "$work/dumps" --scenario -
expect "diagnose to standard output" "$work/err" 'expected the name of a file'
status "run to standard output" 2 "$NCCLSCRIPT" run -q "$work/job.lua" --record -
expect "run to standard output" "$work/err" 'expected the name of a file'
status "exec to standard output" 2 "$NCCLSCRIPT" exec --record - -- true
expect "exec to standard output" "$work/err" 'expected the name of a file'

finish replace
