-- CUDA refuses what the host does not have, and the report says that it is the host.
-- command: run --memory 64M
-- status: 7
-- prints: cudaMalloc: cudaErrorMemoryAllocation: out of memory
-- prints: the host, not the simulated GPU, had no memory for 1 allocation, the first at line 8
scenario { ranks = 1 }
local t = {}
for i = 1, 1000 do t[i] = cuda.buffer("uint8", 1 << 20) end
