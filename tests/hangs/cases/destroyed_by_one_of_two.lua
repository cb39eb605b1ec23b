-- Of two ranks, one destroys before the barrier and one after it: nothing shows which of them is wrong.
scenario { ranks = 3 }
local pair = world:split { color = rank < 2 and 0 or nccl.NOCOLOR, name = "pair" }
local x = cuda.buffer("float32", 8):fill(1)
if pair then
  pair:all_reduce(x)
  stream:sync()
end
if rank == 1 then pair:destroy() end
barrier()
if rank == 0 then pair:destroy() end
