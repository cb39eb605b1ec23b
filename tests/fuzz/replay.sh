#!/usr/bin/env bash
# Tries inputs of the corpora (corpus/TARGET.tar.xz, which grow.bash makes) as they are: every NCCLSCRIPT_FUZZ_STEP-th of each (1 = all),
# each day others.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
built=$(dirname "$NCCLSCRIPT")/tests/fuzz
[[ -x $built/fuzz_planted ]] || { echo "left out: the fuzz targets are built for libFuzzer"; exit 77; }
command -v xz >/dev/null || { echo "left out: there is no xz"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export NCCLSCRIPT_FUZZ_ROUNDS=0
if grep -qa __asan_init "$NCCLSCRIPT"; then step=25; else step=5; fi
step=${NCCLSCRIPT_FUZZ_STEP:-$step} first=$(($(date +%s) / 86400 % step))
echo "one of $step inputs, from number $first on"
failed=0 inputs=0
for corpus in tests/fuzz/corpus/*.tar.xz; do
    target=$(basename "$corpus" .tar.xz)
    mkdir "$work/$target" && tar -xJf "$corpus" -C "$work/$target" || exit 1
    mapfile -t chosen < <(printf '%s\n' "$work/$target"/* | awk -v n="$step" -v first="$first" '(NR - 1) % n == first')
    [ ${#chosen[@]} -gt 0 ] || continue
    inputs=$((inputs + ${#chosen[@]}))
    "$built/fuzz_$target" "${chosen[@]}" >"$work/out" 2>&1 && continue
    printf 'fuzz_%s:\n' "$target"
    tail -n 30 "$work/out"
    failed=1
done
echo "$inputs inputs"
[ "$inputs" -gt 0 ] && exit $failed
