-- Even ranks send first, odd ranks receive first, but from the wrong side of the ring: turned round
-- it would do.
scenario { ranks = 4, outcome = { hang = { why = "p2p-cycle" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local to, from = (rank + 1) % nranks, (rank - 1) % nranks
if rank % 2 == 0 then
  world:send(x, to)
  world:recv(y, to)
  world:recv(y, from)
  world:send(x, from)
else
  world:recv(x, to)
  world:send(y, to)
  world:send(y, from)
  world:recv(x, from)
end
stream:sync()
