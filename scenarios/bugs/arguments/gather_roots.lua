scenario {
  about   = "one rank takes itself for the root of a gather or a scatter",
  bug     = { entry = "C4", thread = "pytorch/pytorch#149200",
              nccl = "both roots wait in the host for what the other will never send" },
  params  = { odd = 1, call = "gather" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 1, 2 }, call = { "gather", "scatter" } },
  outcome = function(run)
    -- Where sends are buffered only the roots of a gather are left waiting.
    local roots = run.policy == "typical" and run.param.call == "gather" and { 0, run.param.odd }
    return { hang = { culprit = run.param.odd, call = 1, waiting = roots or "all",
                      why = "root-mismatch" }, findings = 1 }
  end,
}

local x   = cuda.buffer("float32", 16):fill(rank)
local all = cuda.buffer("float32", 16 * nranks):fill(rank)

-- A gather is a send of every rank to the root, and the receives of the root; a scatter the reverse.
local root = rank == param.odd and rank or 0
if param.call == "gather" then
  world:gather(x, all, { root = root })
else
  world:scatter(all, x, { root = root })
end
stream:sync()
