#!/usr/bin/env bash
# Every scenario on the simulator and on real GPUs, of each bug one case: nothing differs.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
source tests/gpu/need.bash
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
mapfile -t bugs < <("$program" list --bugs | jq -rs 'group_by(.scenario) | map(.[0]) | .[] |
    .scenario + if .name then "[" + .name + "]" else "" end')
((${#bugs[@]} > 0)) || { echo "there are no bugs"; exit 1; }
timeout 3000 "$program" compare --timeout 5s scenarios/{basics,patterns,recovery,workloads} "${bugs[@]}"
