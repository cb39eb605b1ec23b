scenario {
  about  = "the mended progress_taken_for_error: only what is neither success nor in progress is an error",
  world  = { blocking = false },
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

world:wait_ready()
if rank == 1 - param.culprit then sleep(1) end -- the others are in progress until then
local x = cuda.buffer("float32", 4):fill(1)
local rc = C.ncclAllReduce(x, x, 4, C.ncclFloat32, C.ncclSum, world, stream)
if rc ~= C.ncclSuccess and rc ~= C.ncclInProgress then
  C.ncclCommAbort(world)
end
world:wait_ready()
stream:sync()
expect.equal(x, nranks)
