scenario {
  about  = "the mended result_cut_short: it begins again from a copy of what was complete",
  params = { by = "error" },
  matrix = { ranks = { 2, 4 }, by = { "error", "abort", "unasked" } },
}

local grads, kept = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16)
world:all_reduce(grads)
kept:copy_from(grads, { stream = stream })
stream:sync()

world:all_reduce(grads)
if param.by ~= "abort" then
  fault.async_error { rank = rank, code = "ncclRemoteError" }
  assert(world:async_error() == "ncclRemoteError")
end
world:abort()

grads:copy_from(kept)
expect.equal(grads, nranks)
