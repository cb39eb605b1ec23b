scenario { ranks = 2, outcome = { wrong = true } }

local x, y = cuda.buffer("int32", 16):fill(1), cuda.buffer("int32", 16):fill(0)
stream:delay(1e-3)
nccl.group(function()
  world:all_reduce(x, y)
  stream:sync()
end)
expect.equal(y, 2)
stream:sync()
