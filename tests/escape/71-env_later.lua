-- status: 2
-- prints: env: 'NCCL_A_PLUGIN_OF_TOMORROW' needs --unsafe
-- never: [0] ran
-- A variable that nobody knows yet.
scenario { ranks = 1, env = { NCCL_A_PLUGIN_OF_TOMORROW = "any" } }
print("ran")
