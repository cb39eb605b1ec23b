-- Rank 1 comes to a barrier at which nobody else arrives; the others wait for it in the next call.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
barrier()
if rank == 1 then
  barrier()
end
world:all_reduce(x)
stream:sync()
