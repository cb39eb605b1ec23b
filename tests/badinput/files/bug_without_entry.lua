scenario { ranks = 2, bug = { nccl = "waits" } }
