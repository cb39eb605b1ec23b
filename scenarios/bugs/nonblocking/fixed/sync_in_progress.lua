scenario {
  about  = "the mended sync_in_progress: the communicator is polled first, then the stream is waited for",
  world  = { blocking = false },
  params = { group = true },
  matrix = { ranks = { 2, 4 }, group = { false, true } },
}

world:wait_ready()
if rank == nranks - 1 then sleep(1) end -- the others are in progress until then
local x = cuda.buffer("float32", 4):fill(1)
local F32, SUM = C.ncclFloat32, C.ncclSum
if param.group then C.ncclGroupStart() end
C.ncclAllReduce(x, x, 4, F32, SUM, world, stream)
if param.group then C.ncclGroupEnd() end
world:wait_ready()
stream:sync()
expect.equal(x, nranks)
