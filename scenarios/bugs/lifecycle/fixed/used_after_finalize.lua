scenario {
  about  = "the mended used_after_finalize: every rank finalizes after its last call",
  params = { culprit = 0, call = "all_reduce" },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 }, call = { "all_reduce", "reduce" } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

if param.call == "all_reduce" then
  C.check(C.ncclAllReduce(x, x, 16, C.ncclFloat32, C.ncclSum, world, stream))
else
  C.check(C.ncclReduce(x, x, 16, C.ncclFloat32, C.ncclSum, 0, world, stream))
end
stream:sync()
world:finalize()
world:destroy()
expect.equal(x, (param.call == "all_reduce" or rank == 0) and nranks ^ 2 or nranks)
