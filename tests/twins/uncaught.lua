scenario { ranks = 2, about = "an error of CUDA's that nobody expects" }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
if rank == 1 then
  cuda.buffer("int8", 1 << 50)
end
world:all_reduce(x)
stream:sync()
