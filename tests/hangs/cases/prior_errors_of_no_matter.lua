-- Errors that all meet, that the rank met before and went right, that come too early or too late.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  pcall(cuda.buffer, "int8", 1 << 44)
  pcall(error, "on all ranks")
  if rank == 2 then pcall(error, "in each step") end
  if rank == 2 and step == 2 then C.cudaSetDevice(99) end
  world:broadcast(x)
  if not (rank == 2 and step == 2) then
    world:all_reduce(x)
  end
  if rank == 2 and step == 2 then pcall(error, "too late") end
  stream:sync()
end
