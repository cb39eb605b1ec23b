local x = cuda.buffer("float32", 8)
scenario { ranks = 2 }
