scenario { ranks = 3, about = "a rank without a color leaves the call out, or looks at its code" }

local x = cuda.buffer("float32", 8):fill(1)
local _, part = C.check(0, C.ncclCommSplit(world, rank == 0 and C.NCCL_SPLIT_NOCOLOR or 0, 0, nil))
if part then
  C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, part, stream))
else
  expect.equal(C.ncclAllReduce(x, x, 8, C.ncclFloat32, C.ncclSum, part, stream), C.ncclInvalidArgument)
end
world:all_reduce(x)
if part then C.check(C.ncclCommDestroy(part)) end
stream:sync()
