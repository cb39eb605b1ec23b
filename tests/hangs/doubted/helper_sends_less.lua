scenario { ranks = 4, outcome = { hang = true, finding = { certainty = "likely" } } }
local x, y = cuda.buffer("float32", 64), cuda.buffer("float32", 64)
local function pass()
  if rank % 2 == 0 then world:send(x, rank + 1) else world:recv(y, rank - 1) end
end
local function ring()
  nccl.group(function() world:send(x, (rank + 1) % nranks) world:recv(y, (rank - 1) % nranks) end)
end
for i = 1, 3 do
  ring()
  if not (rank == 0 and i == 2) then pass() end
end
stream:sync()
