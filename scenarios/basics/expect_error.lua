scenario { ranks = 2, about = "errors are values: which call, which code, what NCCL said" }

local x = cuda.buffer("float32", 8):fill(1)

-- NCCL checks a root against the size of the communicator, on this rank alone.
local e = expect.error("ncclInvalidArgument", function()
  world:broadcast(x, { root = nranks })
end)
expect.equal(e.kind, "nccl")
expect.equal(e.call, "ncclBroadcast")
expect.equal(e.code, 4)
expect.equal(e.rank, rank)

-- Out of memory comes from CUDA.
e = expect.error("cudaErrorMemoryAllocation", function()
  cuda.buffer("int8", 1 << 50)
end)
expect.equal(e.kind, "cuda")

-- What is wrong in the script's own terms never reaches NCCL.
e = expect.error("usage", function() world:all_reduce(x, { count = 9 }) end)
expect.equal(e.kind, "usage")

-- None of these has got on the way to the other rank: the communicator is as good as new.
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
