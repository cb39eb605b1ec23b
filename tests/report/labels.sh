#!/usr/bin/env bash
# What a user calls things is never read by the report: a label that speaks of ranks or lines stays as it is.
set -u
unset "${!NCCL_@}" # the simulator heeds them
run=$(realpath "${NCCLSCRIPT:?the path of the binary}") || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
    echo "labels.sh: $1" >&2
    echo "$report" >&2
    failed=1
}

# Each process drives two ranks, so the ranks that a finding names get other numbers than the processes have.
label="as rank 0, rank 1, rank 2, rank 3, rank 4, rank 5 asked"
cat >"$folder/rank.lua" <<END
scenario { ranks = 2, world = false }
local t = {}
for i, c in ipairs(nccl.init_all(2)) do
  t[i] = spawn(function()
    local x = cuda.buffer("float32", 8, { device = c.device }):fill(1)
    if not (rank == 1 and i == 2) then c:all_reduce(x, { label = "$label" }) end
    c.stream:sync()
  end)
end
for i = 1, 2 do t[i]:join() end
END
report=$("$run" run "$folder/rank.lua")
[ "$(grep -c "at line 6 ($label)" <<<"$report")" -ge 2 ] || fail "the label of ranks is another one"
grep -qE "rank 2 \(rank 0 of comm2, device 0 of process 1" <<<"$report" || fail "the rank itself is not introduced"

cat >"$folder/line.lua" <<'END'
-- a line that nobody speaks of
scenario { ranks = 2 }
local x = cuda.buffer("float32", 8):fill(1)
if rank == 0 then world:all_reduce(x, { label = "gradient of line 1" }) end
stream:sync()
END
report=$("$run" run "$folder/line.lua")
grep -q "at line 4 (gradient of line 1)" <<<"$report" || fail "the label of a line is not there"
grep -q "that nobody speaks of" <<<"$report" && fail "the label's line is quoted"
exit $failed
