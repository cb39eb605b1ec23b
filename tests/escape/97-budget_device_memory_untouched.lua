-- Memory that is not written takes none of the host's, as large as it may be.
-- command: run --memory 64M
-- status: 0
scenario { ranks = 8, sim = { memory = "80G" } }
local x = cuda.buffer("uint8", 10 << 30)
x[5], x[9 << 30] = 1, 2
expect.equal(x[5] + x[9 << 30], 3)
