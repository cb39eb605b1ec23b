scenario {
  about   = "one rank frees the memory of its window after it has its data, and its neighbor puts there again",
  needs   = { nccl = "2.29", driver = "sim" },
  params  = { culprit = 1 },
  matrix  = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  bug     = { entry = "R2", nccl = "writes to memory that is gone, or is something else's by now" },
  outcome = function(run)
    return { error = "cudaErrorIllegalAddress", rank = (run.param.culprit - 1) % run.nranks, findings = 1,
             finding = { rule = "freed-while-registered", culprit = run.param.culprit, certainty = "certain" } }
  end,
}

local n, right, left = 256, (rank + 1) % nranks, (rank - 1) % nranks
local x = cuda.buffer("float32", 2 * n, { memory = "nccl" }):fill(rank)
local window = world:window(x, { symmetric = true })
local mine, theirs = x:slice(1, n), x:slice(n + 1, n)

world:put_signal(mine, right, window, { first = n + 1 })
world:wait_signal(left)
stream:sync()
expect.equal(theirs, left)
if rank == param.culprit then x:free() end -- it is done, but its window is still there
barrier()
if right == param.culprit then
  world:put_signal(mine, right, window, { first = n + 1 })
  stream:sync()
end
