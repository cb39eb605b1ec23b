-- A profile of the last host sets NCCL_P2P_DISABLE. Communicators within that host agree on it; world does not.
local function of_last_host(param)
  local env = {}
  for r = param.hosts * 2 - 2, param.hosts * 2 - 1 do
    env[r] = { NCCL_P2P_DISABLE = "1" }
  end
  return env
end

scenario {
  about   = "NCCL_P2P_DISABLE is set on the ranks of one host: two ends of a connection may choose different transports",
  needs   = { driver = "sim" },
  params  = { hosts = 2 },
  matrix  = { hosts = { 2, 3 } },
  ranks   = function(param) return param.hosts * 2 end,
  devices = 2,
  env     = of_last_host,
  bug     = { entry = "P1", nccl = "fails to connect, or waits" },
  outcome = function(run)
    local culprit = { run.nranks - 2, run.nranks - 1 }
    return { pass = true, findings = 0,
             finding = { rule = "variable-of-one-rank", culprit = culprit, comm = "world", certainty = "undefined" } }
  end,
}

local x = cuda.buffer("float32", 64):fill(1)
local host = world:split { color = rank // 2, name = "host" }
host:all_reduce(x)
world:all_reduce(x)
stream:sync()
