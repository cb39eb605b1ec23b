scenario { ranks = 4 }

local x = cuda.buffer("float32", 1024, { memory = "nccl" })
if rank ~= 2 then
  world:window(x, { symmetric = true })
end
world:all_reduce(x)
stream:sync()
