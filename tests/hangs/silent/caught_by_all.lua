scenario { ranks = 3, about = "the same bad call on every rank, caught everywhere: nobody waits" }

local x = cuda.buffer("int32", 4):fill(1)
local ok = pcall(function()
  C.check(C.ncclBroadcast(x, x, #x, C.ncclInt32, 99, world, stream))
end)
expect.equal(ok, false)
world:all_reduce(x)
stream:sync()
expect.equal(x, 3)
