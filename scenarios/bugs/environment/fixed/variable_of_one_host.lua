-- The job never connects ranks of different hosts, so a variable of one host is harmless.
local function of_last_host(param)
  local env = {}
  for r = param.hosts * 2 - 2, param.hosts * 2 - 1 do
    env[r] = { NCCL_P2P_DISABLE = "1" }
  end
  return env
end

scenario {
  about   = "the mended variable_of_one_host: no communicator has ranks of two hosts",
  needs   = { driver = "sim" },
  params  = { hosts = 2 },
  matrix  = { hosts = { 2, 3 } },
  ranks   = function(param) return param.hosts * 2 end,
  devices = 2,
  world   = false,
  env     = of_last_host,
  outcome = { pass = true, findings = 0 },
}

local x, key = cuda.buffer("float32", 64):fill(1), "id of host " .. rank // 2
if rank % 2 == 0 then store:set(key, nccl.unique_id()) end
local host = nccl.init_rank(2, store:get(key), rank % 2)
host:all_reduce(x)
stream:sync()
