scenario {
  about   = "one rank has mixed precision switched on: half as many bytes",
  bug     = { entry = "C2", thread = "flagos-ai/FlagScale#1256",
              nccl = "other sizes in bytes: a hang or garbage, as with another count" },
  params  = { odd = 1, dtype = "float16", warm = 0 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 1 }, dtype = { "float16", "float64" }, warm = { 0, 1 } },
  exclude = { { dtype = "float64", warm = 1 } },
  outcome = function(run)
    return { hang = { culprit = run.param.odd, call = run.param.warm + 1, waiting = "all",
                      why = "dtype-mismatch" }, findings = 1 }
  end,
}

for _ = 1, param.warm do
  world:all_reduce(cuda.buffer("float32", 1):fill(1))
end
local dtype = rank == param.odd and param.dtype or "float32" -- read from a file on each host
local x = cuda.buffer(dtype, 2048):fill(1)
world:all_reduce(x)
stream:sync()
