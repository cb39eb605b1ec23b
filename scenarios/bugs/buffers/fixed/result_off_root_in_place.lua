scenario {
  about  = "the mended result_off_root_in_place: an all-reduce gives the sum to all ranks",
  matrix = { ranks = { 2, 4 } },
}

local loss = cuda.buffer("float32", 8):fill(rank + 1)
world:reduce(loss, { root = nranks - 1, op = "max" })
stream:sync()
expect.equal(loss, rank == nranks - 1 and nranks or rank + 1)
world:all_reduce(loss)
stream:sync()
expect.equal(loss, nranks * (nranks + 1) / 2)
