scenario { ranks = 1, needs = { nccl = "2.29" } }
stream:sync()
