scenario { ranks = 2, env = { [1] = "NCCL_ALGO=Ring" } }
