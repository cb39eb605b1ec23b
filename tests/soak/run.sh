#!/usr/bin/env bash
# Many calls, limits, a clock that jumps, signals (soak.py). NCCLSCRIPT_SOAK=50 makes a million calls of each kind.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
if grep -qaE '__asan_init|__tsan_init' "$NCCLSCRIPT"; then echo "left out: a sanitizer takes memory of its own"; exit 77; fi
export PYTHONDONTWRITEBYTECODE=1
python3 tests/soak/soak.py "$NCCLSCRIPT" "${NCCLSCRIPT_SOAK:-1}"
