scenario {
  about   = "two elements of a put arrive wrong in the peer's window, and no call fails",
  needs   = { nccl = "2.29", driver = "sim" },
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "M1", nccl = "no error; the peer reads other values than the rank has put" },
  outcome = function(run)
    return { wrong = { rank = run.param.culprit, call = 1, first = 3 }, findings = 0 }
  end,
}

local n, right, left = 8, (rank + 1) % nranks, (rank - 1) % nranks
local x = cuda.buffer("float32", 2 * n, { memory = "nccl" }):fill(rank + 1)
local window <close> = world:window(x, { symmetric = true })
fault.corrupt { rank = param.culprit, call = 1, first = 3, count = 2 }
world:put_signal(x:slice(1, n), right, window, { first = n + 1 })
world:wait_signal(left)
stream:sync()
