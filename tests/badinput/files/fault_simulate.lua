scenario { ranks = 2 }
fault.fail { func = "ncclGroupSimulateEnd", code = "ncclSystemError" }
world:all_reduce(cuda.buffer("float32", 1))
