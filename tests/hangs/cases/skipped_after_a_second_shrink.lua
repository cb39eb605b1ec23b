-- Each step makes a communicator of two of three ranks; in the second step rank 0 leaves out its call there.
scenario { ranks = 3, outcome = { hang = { culprit = 0, why = "skipped-call" } } }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("int32", 4):fill(rank)
for step = 1, 2 do
  world:all_reduce(x)
  if rank < 2 then
    local part = world:shrink { 2 }
    if not (rank == 0 and step == 2) then part:all_reduce(y) end
  end
end
world:reduce(x)
stream:sync()
