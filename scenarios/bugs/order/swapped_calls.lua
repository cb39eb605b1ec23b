scenario {
  ranks   = 3,
  about   = "rank 1 makes the same two calls in the other order",
  outcome = { hang = { culprit = 1, call = 1, waiting = { 0, 1, 2 }, why = "swapped-calls" } },
}

local weights = cuda.buffer("float32", 8):fill(rank)
local grad    = cuda.buffer("float32", 64):fill(rank)

-- The k-th call of one rank meets the k-th call of the others, whatever they are. NCCL does not
-- compare them: on a GPU this hangs, or computes garbage.
if rank == 1 then
  world:broadcast(weights)
  world:all_reduce(grad)
else
  world:all_reduce(grad)
  world:broadcast(weights)
end
stream:sync()
