scenario {
  about   = "a blocking and a non-blocking communicator are split in one group",
  bug     = { entry = "E4",
              nccl = "the second split is refused with ncclInvalidArgument, and with it the group" },
  matrix  = { ranks = { 2, 4 } },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { error = "ncclInvalidArgument", findings = 1, finding = { rule = "failed-call", culprit = all } }
  end,
}

local side = world:split { color = 0, blocking = false }
side:wait_ready()

local a, b
nccl.group(function()
  a = world:split { color = rank % 2 }
  b = side:split { color = rank % 2 } -- of another kind: not in the same group
end)
b:wait_ready()
