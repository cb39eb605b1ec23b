scenario {
  about   = "one rank takes another rank for the root",
  bug     = { entry = "C4", thread = { "facebookarchive/caffe2#872", "pytorch/pytorch#130515" },
              nccl = "each rank builds the chain from its own root: a hang, or everybody keeps its own data" },
  params  = { odd = 3, call = "broadcast" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, call = { "broadcast", "reduce" } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "all", why = "root-mismatch" },
             findings = 1 }
  end,
}

local x = cuda.buffer("float32", 64):fill(rank)

-- A root is a rank of this communicator: not a device, and not a rank of another communicator.
world[param.call](world, x, { root = rank == param.odd and 1 or 0 })
stream:sync()
