scenario {
  ranks = 1,
  about = "communicators of a group that failed: in error, aborted or left to the end of the script",
}

local comm
local function start(kind)
  nccl.group(function()
    comm = kind == "C" and C.check(C.ncclCommInitRank(1, nccl.unique_id(), 0))
        or nccl.init_rank(1, nccl.unique_id(), 0)
    expect.equal(comm.state, "pending")
    C.ncclBroadcast(nil, nil, 0, C.ncclInt8, nranks, world, stream)
  end)
end

for _, kind in ipairs { "C", "object" } do
  expect.error("ncclInvalidArgument", start, kind)
  expect.equal(comm.state, "error")
  expect.that(tostring(comm):match("dropped with its group"))
  expect.error("ncclInvalidArgument", comm.destroy, comm)
  comm:abort()
  expect.equal(comm.state, "aborted")
end

-- By hand; and a child, which has no handle yet.
C.ncclGroupStart()
local _, left = C.ncclCommInitRank(1, nccl.unique_id(), 0)
local child = world:split { color = 0 }
C.ncclBroadcast(nil, nil, 0, C.ncclInt8, nranks, world, stream)
expect.equal(C.ncclGroupEnd(), C.ncclInvalidArgument)
expect.equal(left.state, "error")
expect.equal(child.state, "error")

-- The next group has nothing to do with it.
nccl.group(function() comm = nccl.init_rank(1, nccl.unique_id(), 0) end)
expect.equal(comm.state, "ready")
