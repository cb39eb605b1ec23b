scenario { ranks = 2 }
fault.slow { call = 1 }
world:all_reduce(cuda.buffer("float32", 1))
