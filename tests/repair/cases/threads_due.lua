-- The main thread of rank 1 lacks a call; it is over before another of its threads has made its own.
scenario { ranks = 2, outcome = { hang = { why = "skipped-call" } } }

local rows, side = world:split { color = 0, name = "rows" }, cuda.stream()
local x, y = cuda.buffer("int32", 8):fill(1), cuda.buffer("float32", 4):fill(1)
spawn(function()
  sleep(0.010)
  rows:all_reduce(y, { stream = side })
  if rank == 0 then rows:broadcast(y, { stream = side }) end
  side:sync()
end)
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)
