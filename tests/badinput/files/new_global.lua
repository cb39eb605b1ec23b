scenario { ranks = 2 }
x = cuda.buffer("float32", 8)
