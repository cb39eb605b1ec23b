#!/usr/bin/env bash
# Every scenario on the simulator and on real GPUs: nothing differs.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
source tests/gpu/need.bash
timeout 3000 "$program" compare --timeout 5s scenarios
