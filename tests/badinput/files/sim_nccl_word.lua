scenario { ranks = 2, sim = { nccl = { other = "2.28.9" } } }
