scenario { ranks = 3, outcome = { hang = { culprit = 2, call = 1, why = "root-mismatch" } } }

local x = cuda.buffer("int32", 4):fill(1)
world:reduce(x, { root = rank == 2 and 2 or 0 })
stream:sync()
