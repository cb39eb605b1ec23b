scenario {
  about  = "the mended wrong_memory: host memory is pinned, and a buffer is freed behind its last use",
  params = { memory = "host", culprit = 1 },
  matrix = { ranks = { 2, 4 }, memory = { "host", "freed" }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 64):fill(1)
local p = x.ptr
if rank == param.culprit and param.memory == "host" then
  p = cuda.buffer("float32", 64, { memory = "pinned" }):fill(1)
end
C.check(C.ncclAllReduce(p, p, 64, C.ncclFloat32, C.ncclSum, world, stream))
stream:sync()
x:free()
