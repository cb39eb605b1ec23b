scenario { ranks = 3, about = "windows of other sizes on each rank, with labels that name the rank, by other lines" }

local sizes = { { 8, 16, 32 }, { 16, 32, 64 }, { 64, 64, 128 } }
for k, size in ipairs(sizes[rank + 1]) do
  local x = cuda.buffer("float32", size, { memory = "nccl" })
  if rank == 2 then
    world:window(x, { label = "of 2" })
  else
    world:window(x, { label = "window " .. k })
  end
end
