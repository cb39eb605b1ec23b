scenario { ranks = 2 }
fault.slow { call = 1, secnds = 2 }
world:all_reduce(cuda.buffer("float32", 1))
