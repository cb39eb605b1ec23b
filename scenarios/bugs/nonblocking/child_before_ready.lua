scenario {
  about   = "one rank uses the child of a non-blocking split while the parent is in progress: it is NULL yet",
  world   = { blocking = false },
  params  = { culprit = 0 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "J1", thread = "NVIDIA/nccl#1472",
              nccl = "ncclInvalidArgument: newcomm is filled when the parent is ready" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "error-path", culprit = run.param.culprit, waiting = "others",
                         call = 1, comm = "half" } }
  end,
}

world:wait_ready()
local x = cuda.buffer("float32", 4):fill(1)
if rank == 1 - param.culprit then sleep(1) end -- the split cannot be over before
local half = world:split { color = 0, name = "half" }
if rank ~= param.culprit then
  world:wait_ready() -- left out by one rank
  half:wait_ready()
end
half:all_reduce(x)
half:wait_ready()
stream:sync()
