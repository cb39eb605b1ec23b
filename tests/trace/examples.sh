#!/usr/bin/env bash
# The dumps of examples/dumps belong to examples/skip.py: each line that the report names has an all-reduce.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
report=$("$NCCLSCRIPT" diagnose examples/dumps)
status=$?
[ $status -eq 3 ] || { echo "FAIL exit status $status, not 3"; exit 1; }
lines=$(grep -oE 'skip\.py:[0-9]+' <<<"$report" | cut -d: -f2 | sort -nu)
[ "$(wc -w <<<"$lines")" -eq 2 ] || { echo "FAIL not two lines of skip.py:" "$lines"; exit 1; }
for line in $lines; do
    sed -n "${line}p" examples/skip.py | grep -q 'dist\.all_reduce(' ||
        { echo "FAIL examples/skip.py has no all-reduce at line $line"; exit 1; }
done
echo "dumps of the examples: ok"
