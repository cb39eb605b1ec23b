scenario { ranks = 2 }
fault.corrupt { first = 1, count = 0 }
world:all_reduce(cuda.buffer("float32", 1))
