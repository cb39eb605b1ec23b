-- The sum of memory that nobody has written does not fit its type, and means nothing.
scenario { ranks = 4 }
local x, y = cuda.buffer("int32", 16), cuda.buffer("uint64", 16)
world:all_reduce(x)
world:all_reduce(y, { op = "avg" })
stream:sync()
