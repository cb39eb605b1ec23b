scenario {
  ranks = 3,
  about = "a barrier as an all-reduce of no elements: it succeeds, and holds up nobody",
}

-- Some bindings have a barrier that reduces nothing, with null for both buffers. NCCL is through
-- with such a call when it has looked at the arguments: nothing is put on the stream.
local function meet(comm)
  C.check(C.ncclAllReduce(nil, nil, 0, C.ncclInt8, C.ncclSum, comm, stream))
  C.check(C.cudaStreamSynchronize(stream))
end

-- The last rank comes only when all others are through: a true barrier would hang here.
local late = nranks - 1
if rank == late then
  for other = 0, late - 1 do
    store:get(other .. " went on at")
  end
end
local came = clock()
meet(world)
if rank == late then
  for other = 0, late - 1 do
    expect.that(store:get(other .. " went on at") <= came, "the others did not wait")
  end
else
  store:set(rank .. " went on at", clock())
end

-- The call does check its arguments.
expect.equal(C.ncclAllReduce(nil, nil, 0, C.ncclInt8, C.ncclSum, nil, stream), C.ncclInvalidArgument)
expect.equal(C.ncclBroadcast(nil, nil, 0, C.ncclInt8, nranks, world, stream), C.ncclInvalidArgument)
