scenario {
  needs   = { driver = "sim" },
  about   = "the same once the ranks have been in contact: small messages slip through, by luck",
  bug     = { entry = "D1", thread = { "NVIDIA/nccl#544", "NVIDIA/nccl#1456", "NVIDIA/nccl#783" },
              nccl = "what fits into a connection's buffers slips through: only the big model fails" },
  params  = { count = 64 },
  matrix  = { count = { 64, 1048576, 1048577, 4194304 } }, -- 4 MiB are 1048576 elements
  outcome = function(run)
    local lucky = run.policy == "typical" and run.param.count <= 1048576
    local luck = run.param.count <= 1048576 and "luck" or "certain"
    return lucky and { pass = true, finding = { rule = "p2p-cycle", certainty = "luck" }, findings = 0 }
      or { hang = { culprit = { 0, 1 }, call = 3, waiting = "all", why = "p2p-cycle" },
           finding = { rule = "p2p-cycle", certainty = luck }, findings = 1 }
  end,
}

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", param.count), cuda.buffer("float32", param.count)

nccl.group(function()
  world:send(mine, other)
  world:recv(theirs, other)
end)
stream:sync()

-- NCCL promises nothing about buffering. It often does buffer: this works until the model grows.
-- --policy strict goes by the promise, --policy typical by what is seen.
world:send(mine, other)
world:recv(theirs, other)
stream:sync()
