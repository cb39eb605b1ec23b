scenario {
  ranks = 4,
  about = "a second communicator over the even ranks, its id sent through the store",
}

local even = (nranks + 1) // 2

if rank % 2 == 0 then
  -- One rank makes the id, the others get it by whatever way the program has: a socket, MPI, a
  -- file; here the store. Only those who are in the communicator call init_rank.
  if rank == 0 then
    store:set("even", nccl.unique_id())
  end
  local comm = nccl.init_rank(even, store:get("even"), rank // 2, { name = "even" })

  -- Ranks are counted per communicator: root and peers are too.
  expect.equal(comm.rank, rank // 2)
  expect.equal(comm.nranks, even)

  local x = cuda.buffer("int32", 8):fill(rank)
  comm:broadcast(x, { root = even - 1 })
  stream:sync()
  expect.equal(x, 2 * (even - 1))
  comm:destroy()
end

local all = cuda.buffer("int32", 8):fill(1)
world:all_reduce(all)
stream:sync()
expect.equal(all, nranks)
