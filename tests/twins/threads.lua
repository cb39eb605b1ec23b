scenario { ranks = 2, about = "a second host thread per rank, with a communicator of its own" }

local side = cuda.stream()
local other = world:split { color = 0 }
local x = cuda.buffer("int32", 16):fill(rank + 1)
local one = cuda.buffer("int32", 16):fill(1)

local worker = spawn(function()
  other:all_reduce(x, { stream = side })
  side:sync()
end)
world:all_reduce(one)
stream:sync()
worker:join()
expect.equal(x, 3)
expect.equal(one, nranks)
