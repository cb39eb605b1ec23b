scenario { ranks = 2 }
world:all_reduce(cuda.buffer("float32", 8):fill(1))
if rank == 1 then while pcall(error) or true do for _ = 1, 1000 do end end end
