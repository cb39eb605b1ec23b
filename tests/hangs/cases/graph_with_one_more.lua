-- Rank 1 captures a call too many. A graph stands no trial, so the kind of mistake is not certain.
scenario { ranks = 4 }

local x, wide = cuda.buffer("float32", 32):fill(1), cuda.buffer("float32", 128):fill(1)
world:all_reduce(x) -- connects
stream:sync()
local graph = cuda.graph(stream, function()
  for layer = 1, 3 do
    world:all_reduce(x, { op = "max" })
    world:all_gather(x, wide)
    if rank == 1 then
      world:all_gather(x, wide)
    end
  end
end)
for round = 1, 2 do
  graph:launch(stream)
  stream:sync()
  barrier()
end
