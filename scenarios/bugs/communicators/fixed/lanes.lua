scenario {
  about  = "the mended lanes: one kernel at a time is enough when all devices take them up in one order",
  matrix = { ranks = { 2, 4 } },
  sim    = { lanes = 1 }, needs = { driver = "sim" },
}

local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

for _ = 1, 2 do
  world:all_reduce(x)
  rows:all_reduce(y)
end
world.stream:sync()
rows.stream:sync()
expect.equal(x, nranks ^ 2)
expect.equal(y, nranks ^ 2)
