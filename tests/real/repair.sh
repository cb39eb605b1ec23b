#!/usr/bin/env bash
# run --repair on driver nccl, with drop-in libraries as the real ones: what hangs is given up, and passes
# with the edits of what was found.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
# Insertion, two rounds, a group, an order of communicators, an argument.
for name in insert two_bugs group swap_comms count; do
    timeout 100 "$program" run --repair --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
        --cudart-lib "$libraries/libcudart.so.13" --timeout 10s --format json \
        "tests/repair/cases/$name.lua" >"$work/json" 2>"$work/err" </dev/null
    got=$(jq -r '"\(.driver) \(.repair.repaired)|\([.repair.rounds[].edits[].text] | join("|"))"' "$work/json")
    want="nccl true|$(grep "^$name	" tests/repair/edits.tsv | cut -f2)"
    sorted() { tr '|' '\n' <<<"$1" | sort; } # which rank is found first is left to luck
    [[ $(sorted "$got") == "$(sorted "$want")" ]] && continue
    printf '%s: expected\n%s\ngot\n%s\n' "$name" "$want" "$got"
    cat "$work/err"
    failed=$((failed + 1))
done
exit $((failed > 0))
