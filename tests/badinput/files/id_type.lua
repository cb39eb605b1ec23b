scenario { ranks = 1 }
nccl.unique_id(nccl.unique_id())
