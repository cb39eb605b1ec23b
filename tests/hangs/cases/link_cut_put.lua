scenario {
  ranks   = 2,
  about   = "a put goes over a link that is cut, and the signal never comes",
  outcome = { hang = { culprit = { 0, 1 }, waiting = { 0, 1 }, call = 1, why = "link-cut" } },
}

local x = cuda.buffer("int32", 1024, { memory = "nccl" }):fill(rank)
local w = world:window(x, { symmetric = true })
fault.link { rank = 0, peer = 1 }
barrier()
if rank == 0 then world:put_signal(x, 1, w) else world:wait_signal(0) end
stream:sync()
