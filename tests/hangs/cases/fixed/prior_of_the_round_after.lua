scenario { ranks = 4 }
local x = cuda.buffer("float32", 1):fill(1)
for step = 1, 5 do
  world:all_reduce(x, { label = "step " .. step })
  stream:sync()
  local value = x[1]
  if rank == 2 and step == 3 then pcall(error, "value is " .. value) end
end
