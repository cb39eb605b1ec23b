scenario {
  ranks   = 2,
  about   = "the receiver counts on more than the sender has",
  outcome = { hang = { call = 1, why = "p2p-count-mismatch" } },
}

local x = cuda.buffer("float32", 2048):fill(1)
if rank == 0 then
  world:send(x, 1, { count = 1024 })
else
  world:recv(x, 0, { count = 2048 })
end
stream:sync()
