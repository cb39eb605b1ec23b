scenario {
  about   = "the root broadcasts more than it has written, and every rank reads all of it",
  needs   = { driver = "sim" },
  params  = { root = 0 },
  matrix  = { ranks = { 2, 4, 8 }, root = { 0, 1 } },
  bug     = { entry = "K3", nccl = "no error; every rank reads what the root's memory contained" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "never-written", culprit = run.param.root, certainty = "undefined" } }
  end,
}

local n = 12
local x = cuda.buffer("int32", n)
if rank == param.root then x:slice(1, n - 4):fill(7) end
world:broadcast(x, { root = param.root })
stream:sync()
local all = x:get()
assert(#all == n and all[1] == 7)
