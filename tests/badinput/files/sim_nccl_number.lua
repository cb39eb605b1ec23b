scenario { ranks = 2, sim = { nccl = { [1] = 2.28 } } }
