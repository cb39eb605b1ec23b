scenario {
  about   = "one rank catches an error and leaves; the others know nothing of it",
  bug     = { entry = "A4", thread = { "pytorch/pytorch#67600", "pytorch/pytorch#22907" },
              nccl = "the bad call returns ncclInvalidArgument on that rank; the others wait for it for ever" },
  params  = { odd = 1, warm = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, warm = { 0, 1 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.warm + 1, waiting = "others",
                      why = "error-path" }, findings = 1 }
  end,
}

local x = cuda.buffer("float32", 16):fill(1)
for _ = 1, param.warm do
  world:all_reduce(x)
end

local ok = pcall(function()
  local root = rank == param.odd and nranks or 0 -- no such rank
  C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, root, world, stream))
end)
if not ok then
  return -- "not my problem"
end
stream:sync()
