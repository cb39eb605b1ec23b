scenario { ranks = 2, about = "calls that fail, and whose errors are caught, also those of a thread" }

local x = cuda.buffer("float32", 8):fill(1)
expect.equal(pcall(function() C.check(C.ncclGroupEnd()) end), false)
expect.equal(pcall(cuda.buffer, "float32", 2 ^ 50), false)
local failing = spawn(function() C.check(C.ncclBroadcast(x, x, 8, C.ncclFloat32, nranks, world, stream)) end)
expect.equal(pcall(failing.join, failing), false)
world:all_reduce(x)
stream:sync()
