scenario {
  ranks   = 3,
  about   = "one rank destroys the communicator while the others still use it",
  outcome = { hang = { culprit = 0, call = 2, waiting = { 1, 2 }, why = "early-destroy" } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if rank == 0 then
  world:destroy()
else
  world:all_reduce(x)
  stream:sync()
end
