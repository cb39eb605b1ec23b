scenario { ranks = 2, about = "a second host thread per rank, with a communicator of its own" }

if rank == 0 then
  store:set("other", nccl.unique_id())
end
local other = nccl.init_rank(nranks, store:get("other"), rank, { name = "other" })

-- Two threads must not use one communicator at the same time; two communicators on streams of
-- their own are independent of each other.
local worker = spawn(function(value)
  local side = cuda.stream()
  local x = cuda.buffer("int32", 16):fill(value)
  other:all_reduce(x, { stream = side })
  side:sync()
  return x[1]
end, rank + 1)

local y = cuda.buffer("int32", 16):fill(1)
world:all_reduce(y)
stream:sync()
expect.equal(y, nranks)
expect.equal(worker:join(), nranks * (nranks + 1) // 2)
