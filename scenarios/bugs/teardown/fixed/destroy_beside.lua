scenario {
  about  = "the mended destroy_beside: the streams are synchronised before the destroy",
  matrix = { ranks = { 2, 4, 8 } },
}

local rows, side = world:split { color = 0, name = "rows" }, cuda.stream { blocking = false }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x, { stream = side })
rows:all_reduce(y)
stream:sync()
side:sync()

world:all_reduce(x, { stream = side })
side:sync()
rows:destroy()
barrier()
