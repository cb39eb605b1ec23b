scenario {
  about   = "each step splits a communicator off for its half of the ranks, and nobody destroys it",
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "R1", nccl = "no error, until memory, channels or file descriptors run out" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0, finding = { rule = "never-freed", culprit = all, certainty = "certain" } }
  end,
}

local x = cuda.buffer("float32", 64):fill(1)
for _ = 1, 3 do
  local half = C.check(C.ncclCommSplit(world, rank * 2 // nranks, rank, nil))
  C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, C.ncclMax, half, stream))
  stream:sync()
end
expect.equal(x, 1)
