#!/usr/bin/env bash
# Makes the N-th call fail (nth.c, sweep.py), for a sample of N: `sweep.py LIBRARY PROGRAM --all` takes all, and hours.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
if grep -qaE '__asan_init|__tsan_init' "$NCCLSCRIPT"; then echo "left out: a sanitizer has an allocator of its own"; exit 77; fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/nth.so" tests/failure/nth.c -ldl || exit 1
export PYTHONDONTWRITEBYTECODE=1
python3 tests/failure/sweep.py "$work/nth.so" "$NCCLSCRIPT" --some "${NCCLSCRIPT_FAILURES:-2}" --seed "$(date +%Y%m%d)"
