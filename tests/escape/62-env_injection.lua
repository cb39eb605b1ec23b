-- status: 2
-- prints: env: 'CUDA_INJECTION64_PATH' needs --unsafe
-- never: [0] ran
-- A library that CUDA's driver loads.
scenario { ranks = 1, env = { CUDA_INJECTION64_PATH = "/tmp/any.so" } }
print("ran")
