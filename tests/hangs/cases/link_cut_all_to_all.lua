scenario {
  ranks   = 4,
  devices = 2,
  about   = "a link is cut that an all-to-all goes over: the others have what they need",
  outcome = { hang = { culprit = { 0, 3 }, waiting = { 0, 3 }, call = 1, why = "link-cut" } },
}

local x, y = cuda.buffer("int32", 8):fill(rank), cuda.buffer("int32", 8)
fault.link { rank = 0, peer = 3 }
barrier()
world:all_to_all(x, y)
stream:sync()
