scenario { ranks = 3, params = { who = 1 }, matrix = { who = { 0, 2 } }, about = "no rank does" }
local x = cuda.buffer("float32", 4):fill(1)
world:all_reduce(x)
stream:sync()
