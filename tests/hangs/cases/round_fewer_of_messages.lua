-- Rank 0 leaves the loop a round earlier: rank 1 waits for the message of that round, rank 0 in the reduce behind.
scenario { ranks = 2 }

local x, y = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 1):fill(1)

barrier()
for step = 1, rank == 0 and 3 or 4 do
  for mb = 1, 2 do
    if rank > 0 then
      world:recv(x, rank - 1)
    end
    if rank < nranks - 1 then
      world:send(x, rank + 1)
    end
  end
  world:all_reduce(y)
end
world:reduce(y, { root = 1 })
stream:sync()
