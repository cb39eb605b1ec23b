#!/usr/bin/env bash
# Hangs in which the calls do not show who is wrong, or what: no report of them is certain. Each scenario in doubted/ declares that.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
cd "$(dirname "$0")/../.." || exit 1
failed=0
for policy in strict typical; do
    for seed in 0 1 2; do
        "$NCCLSCRIPT" run --timeout 60s --policy $policy --seed $seed tests/hangs/doubted/*.lua >"${TMPDIR:-/tmp}/doubted.$$" 2>&1 </dev/null ||
            { cat "${TMPDIR:-/tmp}/doubted.$$"; failed=$((failed + 1)); }
    done
done
rm -f "${TMPDIR:-/tmp}/doubted.$$"
# Without the declaration being heeded this test could not fail.
sed 's/"likely"/"certain"/' tests/hangs/doubted/helper_sends_less.lua >"${TMPDIR:-/tmp}/doubted.$$.lua"
"$NCCLSCRIPT" run "${TMPDIR:-/tmp}/doubted.$$.lua" >/dev/null 2>&1 && { echo "a wrong declaration passes"; failed=$((failed + 1)); }
rm -f "${TMPDIR:-/tmp}/doubted.$$.lua"
[ "$failed" = 0 ]
