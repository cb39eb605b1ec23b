scenario {
  about  = "the mended communicators_half_grouped: every rank groups the two, or none does",
  params = { odd = 1 },
  matrix = { ranks = { 2, 4 }, odd = { 0, 1 } },
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

nccl.group(function()
  world:all_reduce(x)
  rows:all_reduce(y)
end)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()
expect.equal(x, nranks ^ 2)
expect.equal(y, nranks ^ 2)
