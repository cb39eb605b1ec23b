scenario {
  about   = "the mended same_peer_sizes: received in the order in which they are sent",
  params  = { large = 64 },
  matrix  = { ranks = { 2, 4 }, large = { 64, 4096 } },
}

local shape = cuda.buffer("int64", 4):fill(rank)
local data  = cuda.buffer("int64", param.large):fill(rank)

nccl.group(function()
  if rank == 0 then
    world:send(shape, 1)
    world:send(data, 1)
  elseif rank == 1 then
    world:recv(shape, 0)
    world:recv(data, 0)
  end
end)
stream:sync()
expect.equal(data, rank == 1 and 0 or rank)
