-- Three ranks, each pair has a communicator, and each begins with that to its right: no rank's order is odd.
scenario { ranks = 3, outcome = { hang = { culprit = { 0, 1, 2 }, why = "comm-order" } } }
local pair = {}
for i = 0, 2 do
  local mine = rank == i or rank == (i + 1) % 3
  pair[i] = world:split { color = mine and 0 or nccl.NOCOLOR, name = "pair" .. i }
end
local x = cuda.buffer("float32", 8):fill(1)
pair[rank]:all_reduce(x)
pair[(rank + 2) % 3]:all_reduce(x)
stream:sync()
