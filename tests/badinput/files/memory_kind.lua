scenario { ranks = 1 }
local x = cuda.buffer("float32", 4, { memory = "nvlink" })
