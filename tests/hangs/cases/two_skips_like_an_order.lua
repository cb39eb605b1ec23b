-- Rank 2 never gathers, and rank 0 leaves out a reduction later. The first looks like two communicators in another order.
scenario { ranks = 4 }

local params = world:split { color = 0, key = rank, name = "params" }
local shard, full = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 16):fill(0)
for step = 1, 3 do
  for layer = 1, 2 do
    if rank ~= 2 then
      params:all_gather(shard, full)
    end
    stream:sync()
  end
  for layer = 1, 2 do
    if not (rank == 0 and step == 2 and layer == 1) then
      world:reduce_scatter(full, shard)
    end
    stream:sync()
  end
end
