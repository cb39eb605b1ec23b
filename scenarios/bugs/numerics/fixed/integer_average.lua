scenario {
  about  = "the mended integer_average: what has fractions is averaged as a floating-point number",
  params = { sign = 1 },
  matrix = { ranks = { 2, 4 }, sign = { 1, -1 } },
}

local x = cuda.buffer("float32", 4):fill(param.sign * (rank == 0 and 1 or 2))
world:all_reduce(x, { op = "avg" })
stream:sync()
expect.equal(x, param.sign * (2 * nranks - 1) / nranks)
