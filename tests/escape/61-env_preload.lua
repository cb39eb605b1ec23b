-- status: 2
-- prints: env: 'LD_PRELOAD': expected a name that begins with NCCL_ or CUDA_
-- never: [0] ran
-- A library that every program loads which is started from here on.
scenario { ranks = 1, env = { LD_PRELOAD = "/tmp/any.so" } }
print("ran")
