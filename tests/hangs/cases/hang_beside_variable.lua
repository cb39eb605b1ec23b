-- The cause is proven; that a variable differs is a note beside it.
scenario {
  ranks = 4,
  env = { [3] = { NCCL_PROTO = "LL", NCCL_DEBUG_SUBSYS = "INIT" } },
  outcome = { hang = { culprit = 1, why = "skipped-call" }, findings = 1,
              finding = { rule = "variable-of-one-rank", culprit = 3, certainty = "undefined" } },
}
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  if rank ~= 1 or step < 3 then
    world:all_reduce(x)
  end
end
stream:sync()
