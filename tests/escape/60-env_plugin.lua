-- status: 2
-- prints: 60-env_plugin.lua:5:31: error: env: 'NCCL_NET_PLUGIN' needs --unsafe
-- never: [0] ran
-- A library that NCCL loads as its network.
scenario { ranks = 1, env = { NCCL_NET_PLUGIN = "/tmp/net.so" } }
print("ran")
