scenario {
  ranks = 4,
  about = "the mended ring_ungrouped, for who wants no group: rank 0 receives first",
}

local right, left  = (rank + 1) % nranks, (rank - 1) % nranks
local mine, theirs = cuda.buffer("float32", 64):fill(rank), cuda.buffer("float32", 64)

if rank == 0 then
  world:recv(theirs, left)
  world:send(mine, right)
else
  world:send(mine, right)
  world:recv(theirs, left)
end
stream:sync()
expect.equal(theirs, left)
