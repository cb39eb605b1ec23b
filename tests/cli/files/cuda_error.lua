scenario { ranks = 2 }

local x = cuda.buffer("float32", 8)
cuda.set_device(5)
local elsewhere = cuda.stream()
cuda.set_device(rank)
print(C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, world, elsewhere), nccl.last_error(),
  C.cudaPeekAtLastError())
