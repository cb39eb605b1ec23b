scenario {
  about  = "the mended operator_in_loop: the operator is destroyed as soon as its call is enqueued",
  matrix = { ranks = { 2, 4, 8 } },
}

local x = cuda.buffer("float32", 64):fill(1)
for step = 1, 4 do
  local factor = C.host("float32", 1):fill(2 ^ step)
  local op = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, world))
  C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
  C.check(C.ncclRedOpDestroy(op, world))
end
stream:sync()
expect.equal(x, 2 ^ 10 * nranks ^ 4)
