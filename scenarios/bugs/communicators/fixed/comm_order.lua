scenario {
  about  = "the mended comm_order: one order of communicators for the whole program",
  params = { warm = false },
  matrix = { ranks = { 2, 4 }, warm = { false, true } },
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

if param.warm then
  world:all_reduce(x, { op = "max" })
  rows:all_reduce(y, { op = "max" })
end

world:all_reduce(x)
rows:all_reduce(y)
stream:sync()
expect.equal(x, nranks)
expect.equal(y, nranks)
