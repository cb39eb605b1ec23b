scenario {
  about   = "each step makes an operator with its own factor, and no step destroys it",
  matrix  = { ranks = { 2, 4, 8 } },
  bug     = { entry = "R1", nccl = "no error; the communicator's table of operators grows with each step" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0, finding = { rule = "never-freed", culprit = all, certainty = "certain" } }
  end,
}

local x = cuda.buffer("float32", 64):fill(1)
for step = 1, 4 do
  local factor = C.host("float32", 1):fill(2 ^ step)
  local op = C.check(C.ncclRedOpCreatePreMulSum(factor, C.ncclFloat32, C.ncclScalarHostImmediate, world))
  C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, op, world, stream))
end
stream:sync()
expect.equal(x, 2 ^ 10 * nranks ^ 4)
