-- Each step makes a communicator, uses it and destroys it; in one step rank 1 leaves out the last call before that.
-- All destroy it there: what is wrong is the call, not the destroy.
scenario { ranks = 4, outcome = { hang = { culprit = 1, why = "skipped-call" } } }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("int32", 4):fill(rank)
for step = 1, 2 do
  local part = world:split { color = 0 }
  part:all_reduce(x)
  if not (rank == 1 and step == 2) then part:all_reduce(y) end
  stream:sync()
  part:destroy()
end
world:all_reduce(x)
stream:sync()
