scenario {
  ranks  = 3,
  world  = false,
  about  = "a communicator is aborted by its owner and dropped later: the drop must not end it again",
}

-- The owner takes the handle out before it ends it. Its destructor then finds nothing, also after an
-- abort. A second end of the same handle is a use after free in C.
local owner = {}
owner.__index = owner

function owner:take()
  local comm = self.comm
  self.comm = nil
  return comm
end

function owner:abort()
  local comm = self:take()
  if comm then C.check(C.ncclCommAbort(comm)) end
end

owner.__close = function(self)
  local comm = self:take()
  if comm then C.check(C.ncclCommDestroy(comm)) end
end

local function new(name)
  if rank == 0 then store:set(name, nccl.unique_id()) end
  return setmetatable({ comm = nccl.init_rank(nranks, store:get(name), rank, { name = name }) }, owner)
end

local ended
do
  local all <close> = new("aborted")
  local x = cuda.buffer("float32", 64):fill(rank)
  all.comm:all_reduce(x)
  all.comm.stream:sync()
  expect.equal(x, 3)
  ended = all.comm
  all:abort()
  all:abort() -- as often as the program likes
  expect.equal(ended.state, "aborted")
end

-- Nobody aborts this one: the drop destroys it.
do
  local all <close> = new("dropped")
  ended = all.comm
end
expect.equal(ended.state, "destroyed")
