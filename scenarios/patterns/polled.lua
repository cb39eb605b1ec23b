scenario {
  ranks = 4,
  world = false,
  needs = { nccl = "2.14" },
  about = "nothing blocks: initialise, reduce and finalize, and poll for each with a time limit",
}

-- Watchdogs of training frameworks work like this: no thread stays inside NCCL, so a thread that gives
-- up can still abort.
local limit = 60

local function settled(comm, what)
  local until_, state = clock() + limit, C.check(C.ncclCommGetAsyncError(comm))
  while state == C.ncclInProgress and clock() < until_ do
    sleep(0.001)
    state = C.check(C.ncclCommGetAsyncError(comm))
  end
  return expect.equal(state, C.ncclSuccess, { label = what, fatal = true })
end

-- started(COMM, WHAT, CODE): the call was made or is on its way
local function started(comm, what, code)
  expect.that(code == C.ncclSuccess or code == C.ncclInProgress, what)
  settled(comm, what)
end

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local comm = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false })
settled(comm, "initialise")

local s = cuda.stream()
local x = cuda.buffer("float32", 4096):fill(rank + 1)
started(comm, "all-reduce", C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, comm, s))

-- The call is over; the kernel may not be. That, too, is asked and not waited for.
local done = cuda.event():record(s)
local until_ = clock() + limit
while not done:query() and clock() < until_ do
  sleep(0.001)
end
expect.equal(x, nranks * (nranks + 1) / 2)

started(comm, "finalize", C.ncclCommFinalize(comm))
comm:destroy()
