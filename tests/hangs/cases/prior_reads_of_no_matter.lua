-- A result that its root alone reads, a buffer that a broadcast has filled since, values of each rank's own, and a
-- branch on a reduce of the step before.
scenario { ranks = 4 }
local loss, total = cuda.buffer("float32", 1):fill(1), cuda.buffer("float32", 1):fill(0)
local own, sum = cuda.buffer("float32", 1):fill(rank), cuda.buffer("float32", 1):fill(0)
world:reduce(loss, sum)
stream:sync()
local before = sum[1]
for step = 1, 3 do
  world:reduce(loss, total)
  stream:sync()
  if rank == 0 then print(total[1]) end
  world:broadcast(total)
  stream:sync()
  local t, o = total[1], own[1]
  if not (rank == 2 and step == 2) then
    world:all_reduce(loss, { op = "max" })
  end
  world:broadcast(loss)
  stream:sync()
end
