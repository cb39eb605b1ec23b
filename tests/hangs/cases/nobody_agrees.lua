scenario {
  ranks   = 2,
  outcome = { hang = { call = 1, waiting = { 0, 1 }, why = "count-mismatch" } },
}

local x = cuda.buffer("int32", 8):fill(1)
world:all_reduce(x, { count = 4 + rank })
stream:sync()
