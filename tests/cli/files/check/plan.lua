scenario { ranks = 4, params = { count = 1024 } }
local x = cuda.buffer("float32", param.count):fill(rank)
local row = world:split { color = rank // 2 }
local s = cuda.stream()
row:all_reduce(x, { op = "max" })
nccl.group(function()
  world:send(x, (rank + 1) % nranks, { count = 8, stream = s })
  world:recv(x, (rank - 1) % nranks, { count = 8, stream = s })
end)
s:sync()
if rank == 0 then
  for _ = 1, 3 do world:broadcast(x:slice(1, 4)) end
end
expect.equal(x, 3)
