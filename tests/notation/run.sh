#!/usr/bin/env bash
# The scenarios of good/ do not only translate: each runs, and ends as it declares.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
ran=0 failed=0
for file in tests/notation/good/*.yaml; do
    ran=$((ran + 1))
    said=$(timeout 100 "$NCCLSCRIPT" run "$file" 2>&1)
    status=$?
    ((status == 0)) && continue
    failed=$((failed + 1))
    printf '%s: exit status %d\n%s\n' "$file" "$status" "$said"
done
echo "$ran files, $failed failed"
((ran > 10 && failed == 0))
