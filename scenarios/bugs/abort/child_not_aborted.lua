scenario {
  about   = "the parent is aborted, its split child is forgotten: who waits in the child goes on waiting",
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "I2", thread = "NVIDIA-NeMo/RL#3591",
              nccl = "only an abort of the child, or shared resources (splitShare), ends what waits in it" },
  outcome = function(run)
    return { hang = { why = "child-not-aborted", culprit = run.nranks - 1, comm = "half", call = 2,
                      waiting = "others" },
             findings = 1 }
  end,
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
half:all_reduce(x)
stream:sync()

fault.kill { rank = nranks - 1 }
local watchdog = spawn(function()
  sleep(1)
  world:abort() -- the abort of a parent does not reach a child that shares nothing with it
end)
half:all_reduce(x)
stream:sync()
watchdog:join()
