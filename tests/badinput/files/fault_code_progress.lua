scenario { ranks = 2 }
fault.fail { call = 1, code = "ncclInProgress" }
world:all_reduce(cuda.buffer("float32", 1))
