scenario { ranks = 1, sim = { nccl = "2.27.3" } }
