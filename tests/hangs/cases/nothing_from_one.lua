scenario { ranks = 3 }

local x = cuda.buffer("float32", 8):fill(1)
world:reduce_scatter(x:slice(1, 6), x:slice(7, 2), { count = rank == 0 and 0 or 2 })
stream:sync()
