scenario {
  about   = "the result of a call that was in flight is used after an error or an abort",
  params  = { by = "error" },
  matrix  = { ranks = { 2, 4 }, by = { "error", "abort", "unasked" } },
  bug     = { entry = "I3", nccl = "the stream goes on without an error; the buffer holds old, new or half-reduced data" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0,
             finding = { rule = "result-cut-short", culprit = all, call = 2, certainty = "undefined" } }
  end,
}

local grads = cuda.buffer("float32", 16):fill(1)
world:all_reduce(grads)
stream:sync()

world:all_reduce(grads)
if param.by ~= "abort" then
  fault.async_error { rank = rank, code = "ncclRemoteError" } -- the network lost a peer
end
if param.by == "unasked" then
  stream:sync() -- an error or an end: only world:async_error() could tell
else
  assert(param.by == "abort" or world:async_error() == "ncclRemoteError")
  world:abort()
end
local first = grads:get(1) -- in place: neither the old value nor the new one is there for certain
if param.by == "unasked" then world:abort() end
