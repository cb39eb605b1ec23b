scenario { ranks = 2, env = { [0.5] = { NCCL_ALGO = "Ring" } } }
