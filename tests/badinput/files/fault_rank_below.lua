scenario { ranks = 2 }
fault.kill { rank = -1 }
world:all_reduce(cuda.buffer("float32", 1))
