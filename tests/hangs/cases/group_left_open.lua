scenario { ranks = 2 }

local x = cuda.buffer("float32", 8):fill(1)
C.ncclGroupStart()
if rank == 1 then
  C.ncclGroupStart()
end
world:all_reduce(x)
C.ncclGroupEnd()
stream:sync()
