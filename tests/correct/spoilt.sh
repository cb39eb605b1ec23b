#!/usr/bin/env bash
# A spoilt element is found in every movement, with every operator and type, at each place, in place or not:
# one wrong result, with one wrong element in it.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

"$NCCLSCRIPT" run --timeout 60s --format json tests/correct/spoilt.lua >"$work/json" </dev/null || failed=1
while read -r line; do
    echo "$line"
    failed=$((failed + 1))
done < <(jq -r 'select((.as_expected | not) or .wrong_count != 1 or .wrong[0].differ != 1) |
    "\(.name): \(.message), \(.wrong_count) results wrong"' "$work/json" 2>&1)
echo "$(wc -l <"$work/json") spoilt results, $failed failed"
((failed == 0))
