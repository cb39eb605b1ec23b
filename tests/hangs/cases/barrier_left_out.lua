-- Rank 2 does not come to the barrier, and waits in the next call for its neighbour, which does.
scenario { ranks = 4, outcome = { hang = { culprit = 2, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
for step = 1, 3 do
  if not (rank == 2 and step == 2) then
    barrier()
  end
  pair:all_reduce(x)
  stream:sync()
end
