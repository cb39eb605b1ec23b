scenario {
  ranks   = 2,
  about   = "the first send to a peer waits on the host, and so never gives the sign to receive",
  outcome = { hang = { waiting = { 0, 1 } } },
}

local x = cuda.buffer("float32", 16):fill(rank)

if rank == 0 then
  world:send(x, 1)
  store:set("sent", true)
else
  store:get("sent") -- reasonable, if send only put something on a stream; so it is, later on
  world:recv(x, 0)
end
stream:sync()
