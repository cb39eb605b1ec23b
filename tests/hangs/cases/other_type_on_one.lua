scenario { ranks = 3 }

local x = cuda.buffer(rank == 0 and "float16" or "bfloat16", 8):fill(1)
world:all_reduce(x)
stream:sync()
