scenario {
  ranks = 3,
  world = false,
  env = { NCCL_COMM_ID = "127.0.0.1:12345" },
  about = "NCCL_COMM_ID: every rank makes the same id by itself, and rank 0 serves it",
}

-- Nothing is passed on: the id is that of the address.
local world = nccl.init_rank(nranks, nccl.unique_id(), rank)
local x = cuda.buffer("int32", 4):fill(rank)
world:all_reduce(x, { op = "max" })
world.stream:sync()
expect.equal(x, nranks - 1)
expect.that(nccl.unique_id() == nccl.unique_id(), "two ids are the same")
world:destroy()
