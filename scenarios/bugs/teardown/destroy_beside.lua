scenario {
  about   = "one rank destroys a communicator while its call on another one runs, and the others make that call only after the destroy",
  matrix  = { ranks = { 2, 4, 8 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T3", thread = "NVIDIA/nccl#564",
              nccl = "ncclCommDestroy frees memory, which may wait for the device, and so for the other kernel" },
  outcome = function(run)
    local finding = { rule = "destroy-beside-kernel", certainty = "luck" }
    if run.policy == "typical" then return { pass = true, finding = finding, findings = 0 } end
    return { hang = { why = "destroy-beside-kernel", culprit = 0, waiting = "all" }, finding = finding, findings = 1 }
  end,
}

local rows, side = world:split { color = 0, name = "rows" }, cuda.stream { blocking = false }
local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
world:all_reduce(x, { stream = side })
rows:all_reduce(y)
stream:sync()
side:sync()

if rank == 0 then
  world:all_reduce(x, { stream = side })
end
rows:destroy()
barrier()
if rank > 0 then -- rank 0 comes to the barrier only when this is done
  world:all_reduce(x, { stream = side })
end
side:sync()
