scenario { ranks = 2, needs = { driver = "nccl" } }
world:all_reduce(cuda.buffer("float32", 8), { rot = 1 })
