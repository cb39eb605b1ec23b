#!/usr/bin/env bash
# Edits by the thousand: each round has all of its own, and it passes with them.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

cat >"$work/odd.lua" <<'S'
scenario { ranks = 576, outcome = { hang = { why = "skipped-call" } } }
local x = cuda.buffer("float32", 16):fill(1)
for i = 1, 8 do
  if rank % 2 == 0 or i > 4 then world:all_reduce(x) end
  world:broadcast(x, { root = 0 })
end
stream:sync()
S
"$program" run --repair --format json "$work/odd.lua" >"$work/json" 2>"$work/err" </dev/null
got=$(jq -r '.repair | "\(.repaired) \([.rounds[].edits | length] | join(" "))"' "$work/json")
[[ $got == "true 1152" ]] || { echo "repaired, edits by round: $got"; cat "$work/err"; exit 1; }
