scenario {
  ranks   = 4,
  about   = "one bad call in a group drops the good ones too, and the codes are not looked at",
  outcome = { hang = { culprit = 2, call = 2, waiting = { 0, 1, 3 }, why = "error-path" } },
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
local root = rank == 2 and 9 or 0

-- On rank 2 the broadcast and ncclGroupEnd return ncclInvalidArgument. The all-reduce was right,
-- and is dropped with it.
C.ncclGroupStart()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream)
C.ncclBroadcast(y, y, #y, C.ncclFloat32, root, world, stream)
C.ncclGroupEnd()
C.cudaStreamSynchronize(stream)
