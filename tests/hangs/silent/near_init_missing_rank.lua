scenario { ranks = 3, world = false, about = "a rank that joins late, and one that joins nothing" }

local id
if rank == 0 then
  id = nccl.unique_id()
  store:set("id", id)
end
if rank < 2 then
  sleep(rank * 3600)
  local pair = nccl.init_rank(2, store:get("id"), rank, { name = "pair" })
  local x = cuda.buffer("float32", 8):fill(1)
  pair:all_reduce(x)
  pair.stream:sync()
  expect.equal(x, 2)
end
