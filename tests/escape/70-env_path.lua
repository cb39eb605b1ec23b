-- status: 2
-- prints: env: 'NCCL_NET' = "../net.so" needs --unsafe: the value is a path
-- never: [0] ran
-- A path for a variable that may be set.
scenario { ranks = 1, env = { NCCL_NET = "../net.so" } }
print("ran")
