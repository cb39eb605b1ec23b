-- status: 4
-- prints: do not fit: the host memory
-- Host memory of the script's own is bounded where it ends.
scenario { ranks = 1 }

local host, x = C.host("uint8", 64), cuda.buffer("uint8", 4096):fill(65)
C.cudaMemcpy(host, x, 4096, C.cudaMemcpyDefault)
print(host[1])
