scenario {
  ranks   = 4,
  about   = "an error that nobody catches is the cause, not the wait that follows from it",
  outcome = { error = "ncclInvalidArgument", rank = 1, call = "ncclBroadcast" },
}

local x = cuda.buffer("float32", 16):fill(1)
local root = rank == 1 and 7 or 0
C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, root, world, stream))
stream:sync()
