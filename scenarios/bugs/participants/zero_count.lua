scenario {
  about   = "one rank has nothing to contribute and passes a count of zero",
  bug     = { entry = "A5", thread = { "pytorch/pytorch#146468", "NVIDIA/nccl#1593" },
              nccl = "an empty collective is dropped on the spot: that rank goes on, the others wait" },
  params  = { odd = 2, call = "all_reduce" },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, call = { "all_reduce", "all_gather" } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = 1, waiting = "others", why = "zero-count" },
             findings = 1 }
  end,
}

local x   = cuda.buffer("float32", 256):fill(1)
local sum = cuda.buffer("float32", 256 * nranks)

-- NCCL drops a collective of no elements: it is not a way to take part.
world[param.call](world, x, sum, { count = rank == param.odd and 0 or 256 })
stream:sync()
