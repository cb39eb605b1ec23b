-- Rank 1 keeps the handle of a destroyed operator; the one that has it now is of another factor.
scenario {
  ranks   = 3,
  outcome = { wrong = true, finding = { rule = "stale-operator", culprit = 1, call = 2, certainty = "likely" } },
}

local x = cuda.buffer("float64", 8):fill(1)
local function scale(factor)
  local scalar = C.host("float64", 1):fill(factor)
  return C.check(C.ncclRedOpCreatePreMulSum(scalar, C.ncclFloat64, C.ncclScalarHostImmediate, world))
end

local op = scale(2)
C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat64, op, world, stream))
C.check(C.ncclRedOpDestroy(op, world))
scale(3)
if rank ~= 1 then op = scale(2) end
C.check(C.ncclAllReduce(x, x, 8, C.ncclFloat64, op, world, stream))
stream:sync()
expect.equal(x, 36)
