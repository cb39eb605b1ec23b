scenario {
  about  = "the mended before_a_call: every rank makes the call first",
  params = { odd = 0 },
  matrix = { ranks = { 3, 4, 8 }, odd = { 0, 2 } },
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
half:all_reduce(x)
stream:sync()
world:all_reduce(x)
stream:sync()
half:destroy()
expect.equal(x, nranks ^ 3)
