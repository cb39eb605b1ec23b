-- The first call of rank 1 is the third of the others.
scenario { ranks = 3, outcome = { hang = { culprit = 1 } } }

local x, y, z = cuda.buffer("int32", 1):fill(1), cuda.buffer("int32", 2):fill(1), cuda.buffer("int32", 3):fill(1)
local function all(...) for _, b in ipairs { ... } do world:all_reduce(b) end end
if rank == 1 then all(z, y, x) else all(x, y, z) end
stream:sync()
expect.equal(x, nranks)
expect.equal(y, nranks)
expect.equal(z, nranks)
