scenario {
  about  = "the mended child_first: the child goes before its parent on every rank",
  params = { odd = 1 },
  matrix = { ranks = { 3, 4, 8 }, odd = { 0, 1 } },
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
half:all_reduce(x)
stream:sync()
half:destroy()
world:destroy()
