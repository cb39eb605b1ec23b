scenario {
  about  = "the mended result_spoilt: with a sound cable all ranks have the same",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 8):fill(rank + 1)
for _ = 1, 3 do world:all_reduce(x) end
stream:sync()
expect.equal(x, (nranks + 1) / 2 * nranks ^ 3)
