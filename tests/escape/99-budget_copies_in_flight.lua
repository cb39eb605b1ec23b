-- What is copied later is kept by the host until then.
-- command: run --memory 64M
-- status: 7
-- prints: cudaMemcpyAsync: cudaErrorMemoryAllocation
scenario { ranks = 1 }
local x = cuda.buffer("uint8", 4 << 20)
local h = cuda.buffer("uint8", 4 << 20, { memory = "pageable" })
local s = cuda.stream()
s:delay(1)
for _ = 1, 100 do x:copy_from(h, { stream = s }) end
