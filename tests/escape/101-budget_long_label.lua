-- status: 0
-- prints: label has 209715200 bytes, expected 65536 or fewer
scenario { ranks = 1 }
print(pcall(cuda.buffer, "uint8", 4, { label = ("x"):rep(200 << 20) }))
