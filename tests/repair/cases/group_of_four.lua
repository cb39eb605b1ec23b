-- Each sends to both sides before it receives from them, in each of two rounds.
scenario { ranks = 3, outcome = { hang = { why = "p2p-cycle" } } }

local mine = cuda.buffer("int32", 4):fill(rank)
local left, right = cuda.buffer("int32", 4), cuda.buffer("int32", 4)
for round = 1, 2 do
  world:send(mine, (rank - 1) % nranks)
  world:send(mine, (rank + 1) % nranks)
  world:recv(left, (rank - 1) % nranks)
  world:recv(right, (rank + 1) % nranks)
  world:all_reduce(mine, { op = "max" })
  stream:sync()
end
expect.equal(left, nranks - 1)
