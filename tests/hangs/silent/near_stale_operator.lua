scenario { ranks = 2, about = "handles used again as they should be, also with a factor of its own on each rank" }

local x = cuda.buffer("float32", 8):fill(1)
local function scale(factor)
  local scalar = C.host("float32", 1):fill(factor)
  return C.check(C.ncclRedOpCreatePreMulSum(scalar, C.ncclFloat32, C.ncclScalarHostImmediate, world))
end

for turn = 1, 3 do -- the same handle each time, another factor on each rank and in each turn
  local op = scale(turn + rank)
  C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat32, op, world, stream))
  C.check(C.ncclRedOpDestroy(op, world))
end
stream:sync()
