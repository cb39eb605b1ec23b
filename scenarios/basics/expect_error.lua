scenario { ranks = 2, about = "errors are values: which call, which code, what NCCL said" }

local x = cuda.buffer("float32", 8):fill(1)

-- NCCL checks a root and a peer against the size of the communicator, on this rank alone. Methods
-- raise what it answers; so does C.check, of a call through C.
local e = expect.error("ncclInvalidArgument", function()
  world:broadcast(x, { root = nranks })
end)
expect.equal(e.kind, "nccl")
expect.equal(e.call, "ncclBroadcast")
expect.equal(e.code, 4)
expect.equal(nccl.error_string(e.code), nccl.error_string(e.name))
expect.equal(e.rank, rank)
expect.error("ncclInvalidArgument", function() world:send(x, -1) end)
expect.error("ncclInvalidArgument", function()
  C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, nranks, world, stream))
end)

-- Out of memory comes from CUDA.
e = expect.error("cudaErrorMemoryAllocation", function()
  cuda.buffer("int8", 1 << 50)
end)
expect.equal(e.kind, "cuda")

-- NCCL would not notice this one, and write beyond the buffer: the method refuses it.
e = expect.error("usage", function() world:all_reduce(x, { count = 9 }) end)
expect.equal(e.kind, "usage")

-- A group that holds a bad call fails as a whole, whether somebody looks at the code or not.
e = expect.error("ncclInvalidArgument", function()
  nccl.group(function()
    world:all_reduce(x)
    C.ncclBroadcast(x, x, #x, C.ncclFloat32, nranks, world, stream)
  end)
end)
expect.equal(e.call, "ncclGroupEnd")
e = expect.error("ncclInvalidArgument", function()
  nccl.group(function()
    world:all_reduce(x)
    C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, nranks, world, stream))
  end)
end)
expect.equal(e.call, "ncclBroadcast")

-- None of these has got on the way to the other rank: the communicator is as good as new.
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
