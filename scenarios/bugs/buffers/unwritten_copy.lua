scenario {
  about   = "a checkpoint copies a buffer that was filled from another one, which nothing has written",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2, 4 } },
  bug     = { entry = "K3", nccl = "no error; the file has whatever the memory contained" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "never-written", culprit = run.nranks - 1, certainty = "undefined" } }
  end,
}

local n       = 64
local weights = cuda.buffer("float32", n)
local shadow  = cuda.buffer("float32", n)
local saved   = cuda.buffer("float32", n, { memory = "pinned" })
if rank < nranks - 1 then weights:fill(rank) end -- the last rank has forgotten to load its own

shadow:copy_from(weights, { stream = stream })
saved:copy_from(shadow, { stream = stream })
stream:sync()
