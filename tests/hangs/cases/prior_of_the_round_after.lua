-- One rank reads and catches something after the call that it left out, in a loop of one call.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 1):fill(1)
for step = 1, 5 do
  if not (rank == 2 and step == 3) then
    world:all_reduce(x, { label = "step " .. step })
  end
  stream:sync()
  local value = x[1]
  if rank == 2 and step == 3 then pcall(error, "value is " .. value) end
  if rank == 2 and step == 3 then C.cudaSetDevice(99) end
end
