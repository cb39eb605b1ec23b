scenario {
  ranks   = 3,
  about   = "the last rank has one batch less, and stops a step earlier",
  outcome = { hang = { culprit = 2, call = 10, waiting = { 0, 1 }, why = "skipped-call" } },
}

-- 29 batches for 3 ranks: 10, 10 and 9. Nine steps go well, which is why such a bug shows at the
-- end of an epoch only. basics/split_work.lua does it right.
local batches = 29
local mine    = batches // nranks + (rank < batches % nranks and 1 or 0)
local grad    = cuda.buffer("float32", 256):fill(1)

for step = 1, mine do
  world:all_reduce(grad, { op = "avg", label = "step " .. step })
  stream:sync()
end
