scenario { ranks = 2, world = { blocking = false }, about = "the last operation is on its way when the script ends" }

world:wait_ready()
local x = cuda.buffer("float32", 4):fill(1)
world:all_reduce(x)
