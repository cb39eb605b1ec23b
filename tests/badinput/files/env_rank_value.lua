scenario { ranks = 2, env = { [1] = { NCCL_BUFFSIZE = 4194304 } } }
