scenario { ranks = 2 }
fault.kill { call = 1, func = "ncclAllReduce" }
world:all_reduce(cuda.buffer("float32", 1))
