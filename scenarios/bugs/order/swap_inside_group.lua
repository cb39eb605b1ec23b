scenario {
  about   = "one rank has the calls of a group in another order, which NCCL may or may not put right",
  bug     = { entry = "B3",
              nccl = "different sizes are sorted within a group, so it works by luck; the guide forbids it" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1 } },
  outcome = function(run)
    local odd = run.nranks == 2 and { 0, 1 } or run.param.odd -- of two, neither is the odd one
    return { hang = { culprit = odd, call = 1, waiting = "all", why = "swapped-calls" }, findings = 1 }
  end,
}

local a = cuda.buffer("float32", 4096):fill(1)
local b = cuda.buffer("float32", 16):fill(2)
if rank == param.odd then
  a, b = b, a
end

nccl.group(function() -- a group does not make order a matter of indifference
  world:all_reduce(a)
  world:all_reduce(b)
end)
stream:sync()
