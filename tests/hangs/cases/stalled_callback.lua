scenario {
  ranks   = 3,
  about   = "a function that the stream of rank 1 runs never returns, and what is behind it never begins",
  outcome = { hang = { culprit = 1, waiting = { 0, 1, 2 }, call = 1, why = "rank-lost" } },
}

local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 then stream:callback(function() fault.stall {} end) end
world:all_reduce(x)
stream:sync()
