scenario { ranks = 5, about = "pass a message around a ring with grouped send and receive" }

local right  = (rank + 1) % nranks
local left   = (rank - 1) % nranks
local mine   = cuda.buffer("int32", 1024):fill(rank)
local theirs = cuda.buffer("int32", 1024)

-- In a group all of a rank's sends and receives go on at once. One after the other they would
-- wait for each other all around the ring: see bugs/ring_ungrouped.lua.
for step = 1, nranks do
  nccl.group(function()
    world:send(mine, right)
    world:recv(theirs, left)
  end)
  stream:sync()
  expect.equal(theirs, (rank - step) % nranks, { label = "step " .. step })
  mine, theirs = theirs, mine
end
expect.equal(mine, rank) -- once around
