scenario {
  ranks   = 2,
  about   = "a send goes over a link that is cut, ahead of its receive or not",
  outcome = { hang = { culprit = { 0, 1 }, call = 1, why = "link-cut" } },
}

local x = cuda.buffer("int32", 8):fill(1)
fault.link { rank = 0, peer = 1 }
barrier()
if rank == 0 then world:send(x, 1) else world:recv(x, 0) end
stream:sync()
