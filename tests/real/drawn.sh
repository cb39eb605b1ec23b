#!/usr/bin/env bash
# --trace and --html of runs on driver nccl, with drop-in libraries as the real ones: the calls are there
# with real times, in order; streams are not seen.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
libraries=$(dirname "$program")/lib/ncclscript
[[ -e $libraries/libnccl.so.2 && -e $libraries/libcudart.so.13 ]] ||
    { echo "skipped: no drop-in libraries in $libraries"; exit 77; }
for tool in jq python3; do
    command -v "$tool" >/dev/null || { echo "left out: there is no $tool"; exit 77; }
done
unset "${!NCCL_@}"
[[ ${TSAN_OPTIONS:-} ]] && { echo "skipped: not for TSan"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
for scenario in scenarios/basics/average.lua scenarios/patterns/half.lua; do
    rm -f "$work/trace" "$work/page"
    read -r calls ranks < <(timeout 100 "$program" run --format json --driver nccl --nccl-lib "$libraries/libnccl.so.2" \
        --cudart-lib "$libraries/libcudart.so.13" --trace "$work/trace" --html "$work/page" \
        "$scenario" 2>"$work/err" </dev/null | jq -r '"\(.calls) \(.ranks)"')
    if ! python3 tests/report/trace.py "$work/trace" "$calls" ||
        [[ $(jq -r '.otherData.time' "$work/trace") != real ]] ||
        ! jq -e '.traceEvents | any(.ph == "X" and .dur > 0) and all(.cat != "device")' "$work/trace" >/dev/null ||
        ! python3 tests/report/page.py "$work/page" "$calls" "$ranks"; then
        echo "$scenario: not what it has to be, of $calls calls"
        cat "$work/err"
        failed=$((failed + 1))
    fi
done
exit $((failed > 0))
