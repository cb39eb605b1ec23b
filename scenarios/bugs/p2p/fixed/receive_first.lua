scenario {
  about   = "the mended receive_first: the even one sends first, the odd one receives first",
  params  = { warm = false },
  matrix  = { ranks = { 2, 4 }, warm = { false, true } },
}

if rank > 1 then return end

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 4):fill(rank), cuda.buffer("float32", 4)

if param.warm then
  nccl.group(function() world:send(mine, other) world:recv(theirs, other) end)
  stream:sync()
end
if rank == 0 then
  world:send(mine, other)
  world:recv(theirs, other)
else
  world:recv(theirs, other)
  world:send(mine, other)
end
stream:sync()
expect.equal(theirs, other)
