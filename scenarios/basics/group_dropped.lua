scenario {
  ranks = 4,
  about = "what a group had queued when a call in it failed has never been: the next try meets the others",
}

local x = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local y = cuda.buffer("float32", 8)

-- Rank 0 spoils a group of everything that ranks count, then does alone what the others do.
if rank == 0 then
  C.ncclGroupStart()
  expect.equal(C.ncclCommSplit(world, 0, 0), C.ncclSuccess)
  expect.equal(C.ncclCommSplit(world, C.NCCL_SPLIT_NOCOLOR, 0), C.ncclSuccess)
  expect.equal(C.ncclAlltoAll(x, y, 2, C.ncclFloat32, world, stream), C.ncclSuccess)
  expect.equal(C.ncclSend(x, 1, C.ncclFloat32, 99, world, stream), C.ncclInvalidArgument)
  expect.equal(C.ncclGroupEnd(), C.ncclInvalidArgument)
end

local team = world:split { color = rank // 2 }
expect.equal(team.name, "world/split1." .. rank // 2)
local window = world:window(x, { symmetric = true })

team:all_reduce(y:fill(rank))
world:all_to_all(x, y)
stream:sync()
expect.equal(y[1], 0)
expect.equal(y[8], 3)
window:deregister()
