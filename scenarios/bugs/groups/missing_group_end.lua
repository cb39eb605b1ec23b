scenario {
  about   = "an early return on one rank, between group start and group end",
  bug     = { entry = "E2",
              nccl = "its calls succeed and are never launched: it reads old data, the others wait" },
  params  = { odd = 1, warm = 0 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, warm = { 0, 1 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.warm + 1, waiting = "others",
                      why = "missing-group-end" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)

local function reduce(y)
  C.check(C.ncclGroupStart())
  C.check(C.ncclAllReduce(y, y, #y, C.ncclFloat32, C.ncclSum, world, stream))
  if rank == param.odd then
    return -- the call is queued, and stays queued; nothing is on the stream
  end
  C.check(C.ncclGroupEnd())
end

for _ = 1, param.warm do
  world:all_reduce(x)
end
reduce(x)
stream:sync() -- that rank comes back at once, with the old values
