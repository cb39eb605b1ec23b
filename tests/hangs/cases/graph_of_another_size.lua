-- Rank 1 launches the graph of another size: one mistake, although the graph makes two calls.
scenario { ranks = 4 }

local x, wide = cuda.buffer("float32", 32):fill(1), cuda.buffer("float32", 128):fill(1)
world:all_reduce(x) -- connects
stream:sync()
local graphs = {}
for _, size in ipairs { 16, 32 } do
  graphs[size] = cuda.graph(stream, function()
    world:all_reduce(x, { count = size, op = "max" })
    world:all_gather(x, wide, { count = size })
  end)
end
for _, size in ipairs { 16, 32, 16, 16, 16, 16 } do
  graphs[rank == 1 and 16 or size]:launch(stream)
end
stream:sync()
