scenario {
  about   = "the mended zero_count: zeros are elements too; or zero elements on all ranks",
  params  = { odd = 2, call = "all_reduce" },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, call = { "all_reduce", "all_gather" } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x   = cuda.buffer("float32", 256):fill(rank == param.odd and 0 or 1)
local sum = cuda.buffer("float32", 256 * nranks)

world[param.call](world, x, sum, { count = 256 })
world[param.call](world, x, sum, { count = 0 })
stream:sync()
if param.call == "all_reduce" then
  expect.equal(sum:slice(1, 256), nranks - 1)
end
