scenario {
  about   = "the stream is synchronised while the launch is still on its way: the wait covers nothing",
  world   = { blocking = false },
  params  = { group = true },
  matrix  = { ranks = { 2, 4 }, group = { false, true } },
  needs   = { driver = "sim" },
  bug     = { entry = "J2", thread = "pytorch/pytorch#191528",
              nccl = "no error: the values are read before the sum is made" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { wrong = { rank = 0 }, findings = 1,
             finding = { rule = "sync-before-enqueued", culprit = all, call = 1 } }
  end,
}

world:wait_ready()
if rank == nranks - 1 then sleep(1) end -- the others are in progress until then
local x = cuda.buffer("float32", 4):fill(1)
local F32, SUM = C.ncclFloat32, C.ncclSum
if param.group then C.ncclGroupStart() end
C.ncclAllReduce(x, x, 4, F32, SUM, world, stream)
if param.group then C.ncclGroupEnd() end -- ncclInProgress: not all is on the stream yet
stream:sync()
expect.equal(x, nranks)
world:wait_ready()
