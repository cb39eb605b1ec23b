scenario {
  ranks  = 4,
  world  = false,
  params = { rounds = 3 },
  about  = "destructors: communicators are destroyed at the end of a scope, nobody calls finalize",
}

-- In languages with destructors the end of a scope destroys the communicator. ncclCommDestroy does the
-- work of ncclCommFinalize if nobody has done it before. The destructor runs on every way out.
local destructor = {
  __close = function(self)
    C.check(C.ncclCommDestroy(self.comm))
  end,
}

local function new(name)
  if rank == 0 then
    store:set(name, nccl.unique_id())
  end
  local comm = nccl.init_rank(nranks, store:get(name), rank, { name = name })
  return setmetatable({ comm = comm }, destructor)
end

local kept
for round = 1, param.rounds do
  local owner <close> = new("round " .. round)
  local x <close> = cuda.buffer("float32", 64):fill(rank + round)
  owner.comm:all_reduce(x)
  owner.comm.stream:sync()
  expect.equal(x, nranks * round + nranks * (nranks - 1) / 2)
  kept = owner.comm
end
expect.equal(kept.state, "destroyed")

-- An error leaves the scope, too. All ranks leave it at the same place, so nobody waits.
local ok, problem = pcall(function()
  local owner <close> = new("left by an error")
  kept = owner.comm
  local x = cuda.buffer("int32", 8):fill(1)
  owner.comm:all_reduce(x)
  owner.comm.stream:sync()
  error { reason = "the sum is " .. x[1] }
end)
expect.equal(ok, false)
expect.equal(problem.reason, "the sum is " .. nranks)
expect.equal(kept.state, "destroyed")

-- Other bindings abort instead. That is safe when the stream is done: abort cuts short what is under way,
-- and frees the communicator as destroy does.
do
  local comm = new("aborted").comm
  local owner <close> = setmetatable({}, { __close = function() C.check(C.ncclCommAbort(comm)) end })
  local x = cuda.buffer("float32", 64):fill(rank)
  comm:all_reduce(x)
  comm.stream:sync()
  expect.equal(x, nranks * (nranks - 1) / 2)
end

-- Without a communicator the destructor has nothing to do: NCCL takes a null handle for that.
do
  local empty <close> = setmetatable({}, destructor)
end

-- A communicator that lives until the process ends is never destroyed. NCCL allows that.
local last = new("never destroyed").comm
local x = cuda.buffer("int32", 8):fill(rank)
last:all_reduce(x)
last.stream:sync()
expect.equal(x, nranks * (nranks - 1) // 2)
