-- As tangled_grid.lua, on 8 ranks with messages of a ring between the steps. Ranks 0 and 1 have been through the first call.
scenario { ranks = 8, outcome = { hang = { culprit = { 3, 6 }, why = "comm-order" } } }
local tp = world:split { color = rank // 2, name = "tp" }
local dp = world:split { color = rank % 2, name = "dp" }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 16):fill(1)
local out, into = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 4):fill(1)
for step = 1, 3 do
  if step == 2 and (rank == 3 or rank == 6) then
    dp:all_reduce(y)
    tp:all_reduce(x)
  else
    tp:all_reduce(x)
    dp:all_reduce(y)
  end
  nccl.group(function()
    world:send(out, (rank + 1) % nranks)
    world:recv(into, (rank - 1) % nranks)
  end)
  stream:sync()
end
