scenario { ranks = 2 }
fault.slow { nth = 2, seconds = 1 }
world:all_reduce(cuda.buffer("float32", 1))
