scenario { ranks = 2, sim = { nccl = { [5] = "2.28.9" } } }
