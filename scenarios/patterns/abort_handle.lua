scenario {
  ranks = 2,
  about = "a handle that aborts, from another thread, as often as one likes",
}

-- Wrappers in languages with destructors clean up by themselves. NCCL frees the communicator on the
-- first abort, so the wrapper must remember the abort, for a second abort and for the destructor.
local function wrap(comm)
  local aborted, gone = false, false
  local self = { comm = comm }
  function self.abort()
    if not (aborted or gone) then
      aborted = true
      comm:abort()
    end
  end
  function self.destroy()
    if not (aborted or gone) then
      gone = true
      comm:destroy()
    end
  end
  return self
end

local function new(name)
  if rank == 0 then
    store:set(name, nccl.unique_id())
  end
  return wrap(nccl.init_rank(nranks, store:get(name), rank, { name = name }))
end

-- Nobody answers rank 0: its worker waits until the handle is used by the thread that watches.
local broken = new("broken")
local x = cuda.buffer("float32", 64):fill(1)
broken.comm:all_reduce(x) -- all have met
stream:sync()

if rank == 0 then
  local started = false
  local worker = spawn(function()
    local s = cuda.stream()
    broken.comm:all_reduce(x, { stream = s })
    started = true
    s:sync() -- over without an error of CUDA's; what is in x is undefined
    return "through"
  end)
  while not started do
    sleep(0.001)
  end
  broken.abort()
  expect.that(worker:join() == "through")
end
broken.abort() -- on rank 0 once more, on the others because abort is local
broken.abort()
broken.destroy()

-- The other way around: what is destroyed is not aborted.
local whole = new("whole")
whole.comm:all_reduce(x:fill(rank))
stream:sync()
expect.equal(x, nranks * (nranks - 1) / 2)
whole.destroy()
whole.abort()
whole.destroy()
