scenario {
  about   = "one rank passes raw bytes where the others pass numbers: equally many bytes, which arrive unchanged",
  bug     = { entry = "C2", nccl = "moves bytes, so the data are right; the guide calls it undefined all the same" },
  params  = { odd = 1, call = "broadcast" },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, call = { "broadcast", "all_gather", "all_to_all" } },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "dtype-mismatch", culprit = run.param.odd, call = 1, certainty = "undefined" } }
  end,
}

local n, dtype, width = 16, "float32", 1
if rank == param.odd then
  dtype, width = "uint8", 4
end
local whole = cuda.buffer(dtype, width * n * nranks):fill(rank)
local part = whole:slice(width * n * rank + 1, width * n)
if param.call == "broadcast" then
  world:broadcast(whole, { root = 0 })
elseif param.call == "all_gather" then
  world:all_gather(part, whole)
else
  world:all_to_all(whole, cuda.buffer(dtype, width * n * nranks))
end
stream:sync()
