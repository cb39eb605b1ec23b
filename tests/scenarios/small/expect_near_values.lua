-- prints: element 1: got 1, want 2 (4 of 4 differ)
-- prints: element 1: got 1, want 1.5 (4 of 4 differ)
scenario { ranks = 64, outcome = { wrong = true } }
expect.equal(cuda.buffer("float8e4m3", 4):fill(1), 2)
expect.equal(cuda.buffer("bfloat16", 4):fill(1), 1.5)
expect.equal(cuda.buffer("float8e5m2", 4):fill(2.5), 3) -- the next value
expect.equal(cuda.buffer("float32", 4):fill(1 + 1e-6), 1)
