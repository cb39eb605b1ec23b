scenario { ranks = 8, outcome = { hang = true, finding = { certainty = "likely" } } }
local x, y = cuda.buffer("float32", 64), cuda.buffer("float32", 64)
local function pass(n)
  if rank % 2 == 0 then world:send(x, rank + 1, { count = n }) else world:recv(y, rank - 1, { count = n }) end
end
for i, n in ipairs { 4, 8, 16 } do
  if not (rank == 6 and i == 2) then pass(n) end
end
stream:sync()
