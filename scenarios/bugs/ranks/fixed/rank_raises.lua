scenario {
  about  = "the mended rank_raises: what one rank has found is told to all before they go on",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
local bad = cuda.buffer("int32", 1):fill(rank == param.culprit and 1 or 0)
world:all_reduce(bad, { op = "max" })
stream:sync()
expect.equal(bad, 1) -- all know, and all leave here
