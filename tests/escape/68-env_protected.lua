-- status: 2
-- prints: env: 'NCCL_TUNER_PLUGIN' needs --unsafe
-- never: [0] ran
-- What is wrong with a declaration cannot be caught.
local s = scenario
pcall(s, { ranks = 1, env = { NCCL_TUNER_PLUGIN = "any" } })
print("ran")
