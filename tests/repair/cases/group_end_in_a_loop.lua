scenario { ranks = 3, outcome = { hang = { culprit = 1, why = "missing-group-end" } } }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
for step = 1, 3 do
  C.ncclGroupStart()
  world:send(x, (rank + 1) % nranks)
  world:recv(y, (rank - 1) % nranks)
  if not (rank == 1 and step == 2) then C.ncclGroupEnd() end
  world:all_reduce(x)
end
stream:sync()
