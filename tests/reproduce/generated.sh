#!/usr/bin/env bash
# Written scenarios of generated programs (tests/truth) end as the runs and as the dumps of these runs: all but a few, whose records
# lack what decides.
set -u
. "$(dirname "$0")/common.bash"
mkdir "$work/correct" "$work/mutant" "$work/dumps"
status "programs" 0 "$NCCLSCRIPT" run -q --unsafe --set first=70110 --set count=11 --set out="$work" --set family=training \
    tests/truth/programs/write.lua

# same KIND BAR: at least so many of the scenarios in `made` end as the record.
same() {
    local ends
    ends=$(cat "$work/made/"*."$1" | grep -c 'its run ends as the record shows')
    [ "$ends" -ge "$2" ] || { fail "$1: $ends scenarios end as the record, not $2"; grep -L 'ends as the record' "$work/made/"*."$1"; }
}
mkdir "$work/made"
for program in "$work/mutant"/*.lua; do
    name=$work/made/$(basename "$program" .lua)
    timeout 60 "$NCCLSCRIPT" run -q --record "$name.lua" "$program" >/dev/null 2>"$name.run"
    for kind in fr calls; do
        timeout 60 "$NCCLSCRIPT" run -q --dump $kind "$name.dump" "$program" >/dev/null 2>&1
        timeout 60 "$NCCLSCRIPT" diagnose -q --force --scenario "$name.lua" "$name.dump" >/dev/null 2>"$name.$kind"
        rm -rf "$name.dump"
    done
done
same run 11
same fr 8 # a run tries changes, a dump cannot: they may name another cause of the same hang
same calls 9
finish "generated"
