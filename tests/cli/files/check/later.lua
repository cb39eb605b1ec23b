scenario { ranks = 3 }
if rank == 0 then sleep(1) end
if rank < 2 then cuda.buffer("float32", -1) end
