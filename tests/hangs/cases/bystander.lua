scenario { ranks = 4, outcome = { hang = { culprit = 3, waiting = { 0, 1, 2 }, comm = "world" } } }

-- Ranks 0 and 1 have a communicator of their own; rank 1 is late there because of rank 3.
local pair
if rank < 2 then
  if rank == 0 then
    store:set("pair", nccl.unique_id())
  end
  pair = nccl.init_rank(2, store:get("pair"), rank, { name = "pair" })
end
local x = cuda.buffer("int32", 4):fill(1)
if pair then
  pair:all_reduce(x)
end
world:all_reduce(x)
stream:sync()

if rank == 1 or rank == 2 then
  world:all_reduce(x)
  stream:sync()
end
if pair then
  pair:all_reduce(x)
  stream:sync()
end
if rank == 0 then
  world:all_reduce(x)
  stream:sync()
end
