scenario {
  ranks   = 3,
  about   = "a pipeline of three stages, and the last one listens to the wrong stage",
  outcome = { hang = { culprit = 2, why = "wrong-peer" } },
}

local x = cuda.buffer("float16", 128):fill(rank)

if rank > 0 then
  world:recv(x, rank == 2 and 0 or rank - 1)
end
if rank < nranks - 1 then
  world:send(x, rank + 1)
end
stream:sync()
