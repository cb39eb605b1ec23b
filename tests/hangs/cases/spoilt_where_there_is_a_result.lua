scenario {
  ranks   = 2,
  about   = "the next result on rank 1 is spoilt: calls without one are not meant",
  outcome = { wrong = { rank = 1, call = 3, first = 1 } },
}

local x = cuda.buffer("int32", 8):fill(1)
fault.corrupt { rank = 1 }
world:reduce(x, rank == 0 and cuda.buffer("int32", 8) or nil)
world:all_reduce(x:slice(1, 0))
world:all_reduce(x)
stream:sync()
