-- Parts of world, for their drawing.
scenario { ranks = 4 }

local part = world:split { color = rank % 2, key = -rank, name = rank % 2 == 0 and "even" or "odd" }
local x = cuda.buffer("int32", 2):fill(rank)
part:all_reduce(x)
part:broadcast(x, { root = 1 })
stream:sync()
