scenario {
  ranks = 4,
  world = false,
  needs = { nccl = "2.18" },
  about = "initialise with a configuration, then split off the even ranks; the odd ones have no colour",
}

-- Bindings of the whole API pass on the structure with all its fields; what is left out keeps
-- NCCL's default, which is not zero.
if rank == 0 then
  store:set("id", C.check(C.ncclGetUniqueId()))
end
local config = C.ncclConfig { blocking = 1, minCTAs = 1, maxCTAs = 4, splitShare = 1 }
local all = C.check(C.ncclCommInitRankConfig(nranks, store:get("id"), rank, config))

-- Without a configuration every field has NCCL's default, as with ncclCommInitRank.
if rank == 0 then
  store:set("id of plain", C.check(C.ncclGetUniqueId()))
end
local plain = C.check(C.ncclCommInitRankConfig(nranks, store:get("id of plain"), rank, nil))
expect.equal(C.check(C.ncclCommCount(plain)), nranks)
expect.equal(C.check(C.ncclCommGetAsyncError(plain)), C.ncclSuccess) -- blocking: it is ready
C.check(C.ncclCommDestroy(plain))

-- A field out of its range is an error of everybody's, before anybody is waited for.
expect.equal(C.ncclCommInitRankConfig(nranks, store:get("id"), rank, C.ncclConfig { blocking = 2 }),
             C.ncclInvalidArgument)

-- All ranks call split; one without a colour gets nothing back. The key turns the order around.
local even = rank % 2 == 0
local some = C.check(C.ncclCommSplit(all, even and 0 or C.NCCL_SPLIT_NOCOLOR, -rank, nil))
local n    = (nranks + 1) // 2

expect.equal(some ~= nil, even)
if some then
  expect.equal(C.check(C.ncclCommCount(some)), n)
  expect.equal(C.check(C.ncclCommUserRank(some)), n - 1 - rank // 2)
  local x = cuda.buffer("int32", 10):fill(rank)
  C.check(C.ncclAllReduce(x, x, #x, C.ncclInt32, C.ncclSum, some, stream))
  stream:sync()
  expect.equal(x, n * (n - 1))
  C.check(C.ncclCommDestroy(some))
end

-- The same as objects.
local odd = all:split { color = even and nccl.NOCOLOR or 0, name = "odd" }
expect.equal(odd ~= nil, not even)
if odd then
  expect.equal(odd.nranks, nranks // 2)
  odd:destroy()
end
all:destroy()
