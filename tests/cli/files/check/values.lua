scenario { ranks = 2 }
local x = cuda.buffer("int32", 4):fill(3)
print(x[1]) -- known
world:all_reduce(x)
local half = x:slice(1, 2):fill(1)
print(x[1]) -- known again
local n = x[4]
assert(n == 6)
local y = cuda.buffer("int32", n):copy_from(x, { count = 8 })
