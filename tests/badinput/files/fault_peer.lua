scenario { ranks = 2 }
fault.link { peer = 7 }
world:all_reduce(cuda.buffer("float32", 1))
