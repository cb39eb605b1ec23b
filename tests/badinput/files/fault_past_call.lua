scenario { ranks = 2 }
world:all_reduce(cuda.buffer("float32", 1):fill(1))
fault.kill { call = 1 }
