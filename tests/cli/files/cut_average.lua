scenario { ranks = 2, about = "an average that loses its fraction, as integers do: certain, and a note" }

local x = cuda.buffer("int32", 8):fill(rank)
world:all_reduce(x, { op = "avg" })
stream:sync()
