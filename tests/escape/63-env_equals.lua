-- status: 2
-- prints: expected a name that begins with NCCL_ or CUDA_
-- never: [0] ran
-- Two settings in one name: what stands behind the '=' would be the value.
scenario { ranks = 1, env = { ["NCCL_ALGO=Ring\nLD_PRELOAD"] = "/tmp/any.so" } }
print("ran")
