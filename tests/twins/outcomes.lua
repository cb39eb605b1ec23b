scenario {
  ranks = 2,
  about = "what is expected depends on the run",
  params = { size = 4, ordered = false },
  verify = false,
  sim = { nccl = "2.28.9", memory = "1G" },
  env = { NCCL_MAX_CTAS = "8" },
  outcome = function(run)
    if run.param.ordered then return "pass" end
    if run.policy == "strict" then return { hang = { culprit = { 0, 1 }, why = "p2p-cycle" } } end
    return "pass"
  end,
}
local out = cuda.buffer("bfloat16", param.size):fill(rank)
local into = cuda.buffer("bfloat16", param.size)

local late = param.ordered and rank == 1
if late then world:recv(into, 0) end
world:send(out, 1 - rank)
if not late then world:recv(into, 1 - rank) end
stream:sync()
