#!/usr/bin/env bash
# A recorded job becomes a scenario that hangs the same way.
set -u
. "$(dirname "$0")/common.bash"

status "dumps" 3 "$NCCLSCRIPT" diagnose -q tests/trace/hand/dumps --scenario "$work/d.lua"
expect "dumps" "$work/err" '^ncclscript: .*/d\.lua: [0-9]+ lines; its run ends as the record shows: hang: skipped-call, rank 2$'
expect "dumps" "$work/d.lua" '^-- Written by ncclscript from tests/trace/hand/dumps \(Flight Recorder dumps\)\.$'
expect "dumps" "$work/d.lua" '^-- Invented: operators \(sum\), roots \(0\), the buffers and their contents\.'
expect "dumps" "$work/d.lua" 'label = "train\.py:66"'
status "what was written" 0 "$NCCLSCRIPT" run "$work/d.lua"
sed -i 's/, outcome = { hang = { culprit = 2, why = "skipped-call" } }//' "$work/d.lua"
status "its report" 3 "$NCCLSCRIPT" run "$work/d.lua"
expect "its report" "$work/out" 'rank 2 skips call 3 of the others at line [0-9]+ \(train\.py:66\)'
status "in YAML" 3 "$NCCLSCRIPT" diagnose -q tests/trace/hand/dumps --scenario "$work/d.yaml"
status "what was written, in YAML" 0 "$NCCLSCRIPT" run "$work/d.yaml"
status "a file that is there" 2 "$NCCLSCRIPT" diagnose -q tests/trace/hand/dumps --scenario "$work/d.yaml"
expect "a file that is there" "$work/err" 'd\.yaml: error: .*exists'
expect "a file that is there" "$work/err" 'hint: --force replaces it$'
status "by force" 3 "$NCCLSCRIPT" diagnose -q tests/trace/hand/dumps --scenario "$work/d.yaml" --force
status "a folder that is not there" 2 "$NCCLSCRIPT" diagnose -q tests/trace/hand/dumps --scenario "$work/none/d.lua"

# A type that no library has, of a damaged log.
job damaged.lua
"$NCCLSCRIPT" run -q "$work/damaged.lua" --dump calls "$work/calls" >/dev/null 2>&1
sed -E -i 's/(ncclAllReduce\([^,]*,[^,]*,[0-9]+,)[0-9]+/\177/' "$work"/calls/*
for ending in lua yaml; do
    status "damaged, $ending" 3 "$NCCLSCRIPT" diagnose -q "$work/calls" --scenario "$work/made.$ending"
    status "what was written, $ending" 0 "$NCCLSCRIPT" run "$work/made.$ending"
done
grep -q null "$work/made.lua" && fail "damaged: the scenario has a type without a name"

finish diagnose
