scenario {
  about   = "one bad call in a group drops the good ones too, and the codes are not looked at",
  bug     = { entry = "E4",
              nccl = "ncclGroupEnd drops every call of the group: the others hang in one that was right" },
  params  = { odd = 2, warm = 0 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, warm = { 0, 1 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.warm + 2, waiting = "others",
                      why = "error-path" }, findings = 1 }
  end,
}

local x, y = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
local root = rank == param.odd and nranks or 0 -- on one rank, no rank

for _ = 1, param.warm do
  world:all_reduce(x)
end

-- There the broadcast and ncclGroupEnd return ncclInvalidArgument. The all-reduce was right, and is
-- dropped with it.
C.ncclGroupStart()
C.ncclAllReduce(x, x, #x, C.ncclFloat32, C.ncclSum, world, stream)
C.ncclBroadcast(y, y, #y, C.ncclFloat32, root, world, stream)
C.ncclGroupEnd()
C.cudaStreamSynchronize(stream)
