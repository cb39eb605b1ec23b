scenario {
  about   = "one rank takes ncclInProgress for an error and aborts",
  needs   = { driver = "sim" },
  world   = { blocking = false },
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "J2", thread = "NVIDIA/nccl#732",
              nccl = "a needless abort, and all others wait" },
  outcome = function(run)
    return { hang = { why = "abort-one-rank", culprit = run.param.culprit, waiting = "others" },
             findings = 1 }
  end,
}

world:wait_ready()
if rank == 1 - param.culprit then sleep(1) end -- the others are in progress until then
local x = cuda.buffer("float32", 4):fill(1)
local rc = C.ncclAllReduce(x, x, 4, C.ncclFloat32, C.ncclSum, world, stream)
if rc ~= C.ncclSuccess and rank == param.culprit then -- 7 is no error: it is on its way
  C.ncclCommAbort(world)
else
  world:wait_ready()
  stream:sync()
end
