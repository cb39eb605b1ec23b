scenario {
  about  = "the mended communicators_swapped: one order on every rank, in the group too",
  params = { odd = 1 },
  matrix = { ranks = { 2, 4 }, odd = { 0, 1 } },
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

nccl.group(function()
  world:all_reduce(x)
  rows:all_reduce(y)
end)
stream:sync()
expect.equal(x, nranks)
expect.equal(y, nranks)
