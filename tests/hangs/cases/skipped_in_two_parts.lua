-- Ranks 0 and 5 leave out a call, each on a communicator of its own.
scenario { ranks = 8, outcome = { hang = { culprit = { 0, 5 }, why = "skipped-call" } } }
local dp = world:split { color = rank % 2, key = rank, name = "dp" .. rank % 2 }
local stats = world:split { color = 0, name = "stats" }
local x, n = cuda.buffer("float32", 16):fill(1), cuda.buffer("int32", 2):fill(1)
for layer = 1, 3 do
  if layer % 2 == 0 then stats:all_reduce(n, { op = "max" }) end
  if rank ~= 0 and rank ~= 5 then dp:all_reduce(x) end
end
world:broadcast(x, { root = 1 })
stream:sync()
