scenario { ranks = 2 }
fault.kill { rank = 2 }
world:all_reduce(cuda.buffer("float32", 1))
