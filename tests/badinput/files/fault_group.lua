scenario { ranks = 2 }
fault.fail { func = "ncclGroupEnd", code = 1 }
world:all_reduce(cuda.buffer("float32", 1))
