scenario {
  about  = "the mended sum_order: with room for all bits every order gives the same",
  matrix = { ranks = { 4, 8 } },
}

local values = { [0] = 1e8, 1, -1e8, 1 }
local x = cuda.buffer("float64", 4):fill(values[rank] or 0)
world:all_reduce(x)
stream:sync()
expect.equal(x, 2, { tol = 0 })
