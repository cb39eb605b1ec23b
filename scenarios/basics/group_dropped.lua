scenario {
  ranks = 4,
  about = "a failed call drops its whole group: collectives leave no trace, splits and first messages do",
}

local x = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local y = cuda.buffer("float32", 8)
local right, left = (rank + 1) % nranks, (rank - 1) % nranks

local function exchange()
  return nccl.group(function()
    world:send(x, right, { count = 1 })
    world:recv(y, left, { count = 1 })
  end)
end

-- A group whose last call names a rank that is not there: its end tells the code, and nothing runs.
local function dropped(queue)
  C.check(C.ncclGroupStart())
  C.check(queue())
  expect.equal(C.ncclSend(x, 1, C.ncclFloat32, 99, world, stream), C.ncclInvalidArgument)
  expect.equal(C.ncclGroupEnd(), C.ncclInvalidArgument)
end

-- Rank 0 alone spoils a group with a collective: the next one meets the others all the same.
if rank == 0 then
  dropped(function() return C.ncclAllReduce(x, y, 8, C.ncclFloat32, C.ncclSum, world, stream) end)
end
world:all_reduce(x, y)
stream:sync()
expect.equal(y, 0 + 1 + 2 + 3)

-- NCCL counts a split when it is called, so all ranks have to have the same dropped ones.
dropped(function() return C.ncclCommSplit(world, 0, 0) end)
local team = world:split { color = rank // 2 }
team:all_reduce(y:fill(rank))
stream:sync()
expect.equal(y, rank // 2 * 4 + 1)

-- Ranks that have exchanged messages before are connected, and stay so.
exchange()
stream:sync()
dropped(function() return C.ncclRecv(y, 1, C.ncclFloat32, left, world, stream) end)
exchange()
stream:sync()
expect.equal(y[1], left)
