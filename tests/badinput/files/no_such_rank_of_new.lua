scenario { ranks = 1, world = false }
nccl.init_rank(4, nccl.unique_id(), 4)
