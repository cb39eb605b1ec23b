scenario {
  about   = "one rank uses a copy of a destroyed operator's handle, which a new operator has got meanwhile",
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "L1", nccl = "no error: the factor of the new operator applies" },
  outcome = function(run)
    return { wrong = { rank = 0 }, findings = 0,
             finding = { rule = "stale-operator", culprit = run.param.culprit, call = 1 } }
  end,
}

local x = cuda.buffer("float32", 64):fill(1)
local function scale(factor)
  local scalar = C.host("float32", 1):fill(factor)
  return C.check(C.ncclRedOpCreatePreMulSum(scalar, C.ncclFloat32, C.ncclScalarHostImmediate, world))
end

local double = scale(2)
local op = double
C.check(C.ncclRedOpDestroy(double, world))
local half = scale(0.5) -- takes the place, and so the handle, of the one that is gone
if rank ~= param.culprit then
  op = scale(2)         -- made anew on the others; here op is a stale copy
end
C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
stream:sync()
expect.equal(x, 2 * nranks)
C.check(C.ncclRedOpDestroy(half, world))
if rank ~= param.culprit then C.check(C.ncclRedOpDestroy(op, world)) end
