-- Rank 4 is missing; of those who came rank 0 has another call, which is not the one to advise.
scenario { ranks = 5, outcome = { hang = { culprit = 4, call = 2, why = "skipped-call" } } }

local x = cuda.buffer("int32", 8):fill(1)
world:all_reduce(x)
if rank == 0 then
  world:broadcast(x)
end
if rank < 4 then
  world:all_reduce(x)
  stream:sync()
end
