scenario { ranks = 3 }

local small = cuda.buffer("float32", 8, { memory = "nccl" }):fill(rank)
local large = cuda.buffer("float32", 16, { memory = "nccl" }):fill(rank)
for _, x in ipairs(rank == 1 and { large, small } or { small, large }) do
  world:window(x, { symmetric = true })
end
