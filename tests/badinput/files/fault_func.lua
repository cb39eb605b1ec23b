scenario { ranks = 2 }
fault.kill { func = "ncclAllreduce" }
world:all_reduce(cuda.buffer("float32", 1))
