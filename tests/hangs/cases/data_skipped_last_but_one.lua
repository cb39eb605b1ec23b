-- The others wait in the call that shows it: what they would put in there is in their buffers.
scenario { ranks = 4 }
local x = cuda.buffer("int32", 16)
for step = 1, 4 do
  if not (rank == 3 and step == 3) then
    x:fill(step * step)
    world:all_reduce(x)
    stream:sync()
  end
end
