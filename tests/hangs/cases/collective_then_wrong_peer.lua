-- A wrong peer, while the rank that it names is already in the next collective.
scenario { ranks = 3, outcome = { hang = { culprit = 2, why = "wrong-peer" } } }

local x = cuda.buffer("float32", 16):fill(rank)
if rank == 1 then
  world:send(x, 2)
elseif rank == 2 then
  world:recv(x, 0)
end
world:all_reduce(x)
stream:sync()
