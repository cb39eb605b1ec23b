#!/usr/bin/env bash
# Correct programs drawn at random, with drop-in libraries as the real ones: none is accused, and every
# result that is not verified has a reason.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
libraries=$(dirname "$(realpath "$NCCLSCRIPT")")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
[[ ${TSAN_OPTIONS:-} ]] &&
    { echo "skipped: runs in real time, some given up with threads inside of calls: not for TSan"; exit 77; }
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
unset "${!NCCL_@}"
# The libraries have threads that run until the program ends, and it cannot be searched for leaks beside these.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
cd "$(dirname "$0")/../.." || exit 1
programs=${NCCLSCRIPT_REAL_PROGRAMS:-40}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

wrong='select(.verdict != "pass" or .findings != [] or
        .unchecked != ([.unverified[].count] | add // 0) or any(.unverified[]; .reason == "unpaired")) |
    "program \($program) of \(.ranks) ranks: \(.message), found \([.findings[].rule]), \(.unverified)"'
for ((i = 1; i <= programs; i++)); do
    "$NCCLSCRIPT" run --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
        --cudart-lib "$libraries/libcudart.so.13" --timeout 20s --format json --set processes=false \
        --set graphs=false --set program="$i" tests/correct/programs/random.lua >"$work/one" 2>"$work/err" </dev/null ||
        { echo "program $i: exit status $?"; tail -n 20 "$work/err"; failed=$((failed + 1)); }
    while read -r line; do
        failed=$((failed + 1))
        echo "$line"
    done < <(jq -r --arg program "$i" "$wrong" "$work/one" 2>&1)
    cat "$work/one" >>"$work/json"
done
echo "$(wc -l <"$work/json") runs, $failed failed; not verified: $(jq -rs \
    '[.[].unverified[]] | group_by(.reason) | map("\(.[0].reason) \(map(.count) | add)") | join(", ")' "$work/json")"
((failed == 0))
