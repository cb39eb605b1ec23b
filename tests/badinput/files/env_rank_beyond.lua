scenario { ranks = 2, env = { [2] = { NCCL_ALGO = "Ring" } } }
