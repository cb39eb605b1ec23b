-- One rank leaves out a collective that the others have in a group with a scatter.
scenario { ranks = 4 }
local a, b = cuda.buffer("float32", 4):fill(1), cuda.buffer("float32", 1)
local x = cuda.buffer("float32", 8):fill(rank)
nccl.group(function()
  world:scatter(a, b)
  if rank ~= 3 then world:all_reduce(x) end
end)
world:all_reduce(x)
stream:sync()
