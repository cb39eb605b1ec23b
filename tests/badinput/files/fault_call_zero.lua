scenario { ranks = 2 }
fault.kill { call = 0 }
world:all_reduce(cuda.buffer("float32", 1))
