scenario { ranks = 4, about = "the mended kind_mismatch: all gather, rank 0 saves" }

local shard = cuda.buffer("float32", 256):fill(rank)
local flag  = cuda.buffer("int32", 1):fill(1)
local whole = cuda.buffer("float32", 256 * nranks)

world:all_gather(shard, whole)
stream:sync()
if rank == 0 then
  expect.equal(whole, function(i) return (i - 1) // 256 end)
end
world:all_reduce(flag)
stream:sync()
