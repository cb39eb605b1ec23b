#!/usr/bin/env bash
# Programs that verification once took for wrong, or did not look at: each reaches its verdict, and every
# result of those that pass is verified, under both policies.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
cd "$(dirname "$0")/../.." || exit 1
failed=0 ran=0

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

for policy in strict typical; do
    "$NCCLSCRIPT" run --timeout 60s --policy "$policy" --format json tests/correct/fixed \
        >"$work/json" </dev/null || { echo "exit status $?"; failed=$((failed + 1)); }
    while IFS=$'\t' read -r name message; do
        ran=$((ran + 1))
        [[ -z $message ]] || { echo "$name, $policy: $message"; failed=$((failed + 1)); }
    done < <(jq -r '[.scenario + .name, if .as_expected | not then .message
        elif .verdict == "pass" and (.unchecked > 0 or .checked == 0)
        then "\(.checked) results verified, \(.unchecked) not" else "" end] | @tsv' "$work/json")
done
echo "$ran runs, $failed failed"
((ran > 0 && failed == 0))
