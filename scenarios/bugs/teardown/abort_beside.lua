scenario {
  about   = "a rank dies; the others abort one communicator while a call on another one runs on another stream",
  matrix  = { ranks = { 2, 4 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T3", thread = { "NVIDIA/nccl#564", "NVIDIA/nccl#549" },
              nccl = "the first ncclCommAbort frees memory, which may wait for the device, and so for the other kernel" },
  outcome = function(run)
    local finding = { rule = "abort-order", certainty = "luck" }
    if run.policy == "typical" then return { pass = true, finding = finding, findings = 0 } end
    return { hang = { why = "abort-order", culprit = run.nranks - 1, comm = "rows", call = 2, waiting = "others" },
             finding = finding, findings = 1 }
  end,
}

local rows, side = world:split { color = 0, name = "rows" }, cuda.stream { blocking = false }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
rows:all_reduce(y, { stream = side })
stream:sync()
side:sync()

fault.kill { rank = nranks - 1 }
rows:all_reduce(y, { stream = side })
world:all_reduce(x)
sleep(1)
world:abort()
rows:abort()
