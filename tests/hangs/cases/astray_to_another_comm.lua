-- One rank makes a call on world that the others make on their halves.
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 16):fill(rank)
local half = world:split { color = rank // 2, name = "half" .. rank // 2 }
world:all_reduce(x)
half:all_reduce(x)
local comm = rank == 0 and world or half
comm:all_reduce(x)
stream:sync()
world:all_reduce(y)
stream:sync()
