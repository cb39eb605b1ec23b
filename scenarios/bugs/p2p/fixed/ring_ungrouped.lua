scenario {
  about   = "the mended ring_ungrouped, for who wants no group: rank 0 receives first",
  params  = { dtype = "float32", warm = false },
  matrix  = { ranks = { 3, 4, 8 }, dtype = { "float32", "bfloat16" }, warm = { false, true } },
  exclude = { { ranks = 3, dtype = "bfloat16" }, { ranks = 4, dtype = "bfloat16" } },
}

local right, left  = (rank + 1) % nranks, (rank - 1) % nranks
local mine, theirs = cuda.buffer(param.dtype, 64):fill(rank), cuda.buffer(param.dtype, 64)

if param.warm then
  nccl.group(function() world:send(mine, right) world:recv(theirs, left) end)
end
if rank == 0 then
  world:recv(theirs, left)
  world:send(mine, right)
else
  world:send(mine, right)
  world:recv(theirs, left)
end
stream:sync()
expect.equal(theirs, left)
