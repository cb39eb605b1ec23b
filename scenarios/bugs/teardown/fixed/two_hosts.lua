scenario {
  about   = "the mended two_hosts: all ranks of a host destroy together; the other host may do so after the barrier",
  devices = 2,
  ranks   = 4,
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank >= 2 then
  world:destroy()
end
barrier()
if rank < 2 then
  world:destroy()
end
