scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
for step = 1, 3 do
  local ok, room = pcall(cuda.buffer, "int8", rank == 2 and step == 2 and 1 << 44 or 64)
  world:all_reduce(x)
  if ok then room:free() end
  world:broadcast(x)
  stream:sync()
end
