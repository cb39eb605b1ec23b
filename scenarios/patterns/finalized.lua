scenario {
  ranks = 4,
  world = false,
  needs = { nccl = "2.14" },
  about = "finalize, then what is still allowed: questions and destroy; the wrapper refuses the rest",
}

-- NCCL does not check whether a communicator was finalized before a collective: it crashes or waits for
-- ever. So a wrapper that offers finalize has to remember it.
local wrapper = {}
wrapper.__index = wrapper

function wrapper.new(name)
  if rank == 0 then
    store:set(name, nccl.unique_id())
  end
  local comm = nccl.init_rank(nranks, store:get(name), rank, { name = name })
  return setmetatable({ comm = comm, finalized = false }, wrapper)
end

function wrapper:all_reduce(x)
  if self.finalized then
    error { reason = "all_reduce on a finalized communicator" }
  end
  self.comm:all_reduce(x)
end

function wrapper:finalize()
  if not self.finalized then
    self.comm:finalize()
    self.finalized = true
  end
end

local w = wrapper.new("data")
local x = cuda.buffer("float32", 256):fill(rank)
w:all_reduce(x)
w:finalize() -- completes the rank's own work
w:finalize()
w.comm.stream:sync()
expect.equal(x, nranks * (nranks - 1) / 2)

local ok, problem = pcall(w.all_reduce, w, x)
expect.equal(ok, false)
expect.equal(problem.reason, "all_reduce on a finalized communicator")
expect.equal(x, nranks * (nranks - 1) / 2)

-- NCCL still answers questions. A second finalize is the one call that it refuses by itself.
expect.equal(w.comm.state, "finalized")
expect.equal(C.check(C.ncclCommCount(w.comm)), nranks)
expect.equal(C.check(C.ncclCommUserRank(w.comm)), rank)
expect.equal(C.check(C.ncclCommGetAsyncError(w.comm)), C.ncclSuccess)
expect.equal(C.ncclCommFinalize(w.comm), C.ncclInvalidArgument)

C.check(C.ncclCommDestroy(w.comm))
