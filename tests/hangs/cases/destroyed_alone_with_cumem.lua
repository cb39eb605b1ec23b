-- Rank 1 alone maps memory of its peers, so NCCL waits in its destroy alone. Who asks does not matter: the setting is its own.
scenario { ranks = 4, env = { NCCL_CUMEM_ENABLE = "0", [1] = { NCCL_CUMEM_ENABLE = "1" } } }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
if rank < 2 then
  world:destroy()
end
barrier()
if rank >= 2 then
  world:destroy()
end
