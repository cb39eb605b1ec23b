scenario { ranks = 1, sim = { nccl = "2.25.1" } }
