scenario { ranks = 2, env = { [1] = { [0] = { NCCL_ALGO = "Ring" } } } }
