scenario {
  ranks  = 4,
  world  = false,
  params = { batches = 3, tensors = 5 },
  about  = "one rank makes the id and gives it away; calls are batched between group start and end",
}

-- A minimal binding has these calls and no more. NCCL does not care how the 128 bytes get to the other
-- ranks: by a key-value store, MPI or a file.
if rank == 0 then
  store:set("id", nccl.unique_id())
end
local comm = nccl.init_rank(nranks, store:get("id"), rank)
expect.equal(comm.nranks, nranks)
expect.equal(comm.rank, rank)

local tensors = {}
for i = 1, param.tensors do
  tensors[i] = cuda.buffer("float32", 8 << i)
end
for batch = 1, param.batches do
  for i, x in ipairs(tensors) do
    x:fill(rank + i + batch, { stream = comm.stream })
  end
  -- One launch for the batch. By hand the end must be reached on every way out; nccl.group does it.
  C.check(C.ncclGroupStart())
  for _, x in ipairs(tensors) do
    comm:all_reduce(x)
  end
  C.check(C.ncclGroupEnd())
  comm.stream:sync()
  for i, x in ipairs(tensors) do
    expect.equal(x, nranks * (i + batch) + nranks * (nranks - 1) / 2)
  end
end

-- An id is for one communicator.
if rank == 0 then
  store:set("another id", nccl.unique_id())
end
local other = nccl.init_rank(nranks, store:get("another id"), rank)
other:destroy()
comm:destroy()
