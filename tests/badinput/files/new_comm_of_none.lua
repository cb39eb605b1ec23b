scenario { ranks = 1, world = false }
nccl.init_rank(0, nccl.unique_id(), 0)
