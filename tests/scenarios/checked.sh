#!/usr/bin/env bash
# check finds nothing wrong with the scenarios of the gallery, and has a plan for each.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
[[ ${TSAN_OPTIONS:-} ]] && { echo "left out: check has no threads"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$NCCLSCRIPT" check scenarios >"$work/text" 2>&1 || { cat "$work/text"; exit 1; }
[[ $(wc -l <"$work/text") == 1 ]] || { echo "more than the summary:"; cat "$work/text"; exit 1; }

"$NCCLSCRIPT" check --plan --format json scenarios >"$work/json" || exit 1
files=$(find scenarios \( -name '*.lua' -o -name '*.yaml' -o -name '*.yml' \) | wc -l)
plans=$(jq -es 'map(select(.errors == 0 and (.plans | type) == "array")) | length' "$work/json") || exit 1
calls=$(jq -s 'map(.plans[].plan[].calls | length) | add' "$work/json")
echo "$files scenarios, $plans plans, $calls calls"
((files > 0 && plans == files && calls > files))
