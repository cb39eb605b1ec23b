scenario { ranks = 2, about = "copies in an open group: of other memory, on another stream behind it, and before the call is made" }

local x, y, z = cuda.buffer("int32", 8), cuda.buffer("int32", 8):fill(2), cuda.buffer("int32", 8)
x:fill(1)
nccl.group(function()
  z:copy_from(y, { stream = stream }) -- what the call is to send, ready on the stream before it
  world:all_reduce(z)
  world:all_reduce(x)
  y:copy_from(y:slice(1, 8), { stream = stream })
end)
y:copy_from(x, { stream = stream })
stream:sync()
expect.equal(y, nranks)
expect.equal(z, 2 * nranks)
