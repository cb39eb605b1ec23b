scenario { ranks = 2 }
local x = cuda.buffer("int32", 8):fill(1)
local y = cuda.buffer("int32", 8):fill(0)
world:all_reduce(x)
stream:sync()
x:slice(3, 2):fill(7)
print(x[2])                     -- not known
print(x[3], x[4])               -- known
print(x[5])                     -- not known
y:slice(1, 2):copy_from(x:slice(3, 2))
y:slice(3, 1):copy_from(x:slice(5, 1))
print(y[2], y[8])               -- known
print(y[3])                     -- not known
y:slice(4):add(x:slice(4))
print(y[8])                     -- not known
