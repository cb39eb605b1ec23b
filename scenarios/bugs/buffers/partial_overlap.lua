scenario {
  about   = "send and receive buffer overlap by half: neither in place nor apart",
  params  = { call = "all_reduce" },
  matrix  = { ranks = { 2, 4 }, call = { "all_reduce", "all_gather" } },
  bug     = { entry = "K1", thread = "NVIDIA/nccl-tests#261",
              nccl = "no error; what is received overwrites what is still to be sent" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { pass = true, findings = 0,
             finding = { rule = "buffer-overlap", culprit = all, call = 1, certainty = "undefined" } }
  end,
}

local n = 8
local room = cuda.buffer("int32", (nranks + 1) * n):fill(1)
-- Undefined, whatever comes out: NCCL knows in place, at the very address, and nothing in between.
if param.call == "all_reduce" then
  world:all_reduce(room:slice(1, n), room:slice(n // 2 + 1, n))
else
  world:all_gather(room:slice(rank * n + n // 2 + 1, n), room:slice(1, nranks * n))
end
stream:sync()
