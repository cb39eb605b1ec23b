-- status: 2
-- prints: expected a name that begins with NCCL_ or CUDA_
-- never: [0] ran
-- A name that is another one for who stops at its zero.
scenario { ranks = 1, env = { ["NCCL_ALGO\0_PLUGIN"] = "any" } }
print("ran")
