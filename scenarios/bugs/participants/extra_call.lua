scenario {
  ranks   = 4,
  about   = "rank 0 makes a call of its own between two that all make",
  outcome = { hang = { culprit = 0, call = 2, waiting = { 0, 1, 2, 3 }, why = "extra-call" } },
}

local grad = cuda.buffer("float32", 512):fill(1)
local loss = cuda.buffer("float32", 1):fill(rank)

world:all_reduce(grad)

if rank == 0 then
  world:reduce(loss) -- "only rank 0 needs it": but all have to take part
end

world:all_reduce(grad)
stream:sync()
