scenario {
  ranks = 2,
  needs = { nccl = "2.29.2" },
  about = "collectives, windows and lives of communicators through C",
}

expect.that(C.has("ncclWinGetUserPtr"), "since 2.29.2")
local code, text = nccl.version()
expect.equal(select(2, C.ncclGetVersion()), code)
expect.that(text:find("^2%."), text)

local function ints(...)
  return cuda.buffer("int32", select("#", ...)):fill { ... }
end

local function done(rc)
  expect.equal(rc, C.ncclSuccess)
  C.check(C.cudaStreamSynchronize(stream))
end

local x, y = ints(rank + 1, 10 * (rank + 1)), ints(0, 0, 0, 0)
done(C.ncclGather(x, y, 2, C.ncclInt32, 1, world, stream))
expect.equal(y, rank == 1 and { 1, 10, 2, 20 } or 0)
done(C.ncclScatter(y, x, 2, C.ncclInt32, 1, world, stream))
expect.equal(x, { rank + 1, 10 * (rank + 1) })
done(C.ncclReduceScatter(x, y, 1, C.ncclInt32, C.ncclMax, world, stream))
expect.equal(y[1], rank == 0 and 2 or 20)
done(C.ncclBcast(x, 2, C.ncclInt32, 1, world, stream))
expect.equal(x, { 2, 20 })

-- A pair is started together, at the end of the group; an estimate starts nothing.
local other = 1 - rank
expect.equal(C.ncclGroupStart(), C.ncclSuccess)
expect.equal(C.ncclSend(x, 2, C.ncclInt32, other, world, stream), C.ncclSuccess)
expect.equal(C.ncclRecv(y, 2, C.ncclInt32, other, world, stream), C.ncclSuccess)
done(C.ncclGroupEnd())
expect.equal(y:slice(1, 2), { 2, 20 })
local info = C.ncclSimInfo {}
expect.equal(C.ncclGroupStart(), C.ncclSuccess)
expect.equal(C.ncclAllReduce(x, x, 2, C.ncclInt32, C.ncclSum, world, stream), C.ncclSuccess)
done(C.ncclGroupSimulateEnd(info))
expect.that(info.estimatedTime > 0)
expect.equal(x, { 2, 20 })

local function value(want, rc, got)
  expect.equal(rc, C.ncclSuccess)
  expect.equal(got, want)
end
value(rank, C.ncclCommUserRank(world))
value(rank % cuda.device_count(), C.ncclCommCuDevice(world))
value(C.ncclSuccess, C.ncclCommGetAsyncError(world))
expect.equal(select("#", C.ncclResetDebugInit()), 0) -- void in C

-- A window of NCCL's own memory.
local bytes = C.NCCL_WIN_REQUIRED_ALIGNMENT
local memory = C.check(C.ncclMemAlloc(bytes))
local window = C.check(C.ncclCommWindowRegister(world, memory, bytes, C.NCCL_WIN_COLL_SYMMETRIC))
value(memory, C.ncclWinGetUserPtr(world, window))
value(nil, C.ncclCommWindowDeregister(world, window))
value(nil, C.ncclMemFree(memory))

-- Set aside and taken up again; finished; cut short.
value(nil, C.ncclCommSuspend(world, C.NCCL_SUSPEND_MEM))
value(nil, C.ncclCommResume(world))
local config = C.ncclConfig { splitShare = 1 }
local one = C.check(C.ncclCommSplit(world, 0, rank, config))
local two = C.check(C.ncclCommSplit(world, 0, -rank, nil))
value(1 - rank, C.ncclCommUserRank(two))
value(nil, C.ncclCommFinalize(one))
value(nil, C.ncclCommDestroy(one))
value(nil, C.ncclCommRevoke(two, C.NCCL_REVOKE_DEFAULT))
value(nil, C.ncclCommAbort(two))

-- An id with which a rank could join; of those that are there one makes it.
if rank == 0 then
  local rc, id = C.ncclCommGetUniqueId(world)
  expect.equal(rc, C.ncclSuccess)
  expect.that(id)
end
