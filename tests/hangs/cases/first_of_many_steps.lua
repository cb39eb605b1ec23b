scenario {
  ranks = 4,
  outcome = { hang = { culprit = 2, call = 50, waiting = { 0, 1, 3 }, why = "skipped-call" } },
}

-- The calls are all alike; only the labels tell at which step rank 2 left one out.
local x = cuda.buffer("float32", 4):fill(1)
for step = 1, 100 do
  if not (rank == 2 and step == 50) then
    world:all_reduce(x, { label = "step " .. step, op = "max" })
  end
end
stream:sync()
