scenario { ranks = 1024, about = "everybody sends to the next even rank, and nobody receives" }
local x = cuda.buffer("float32", 8)
if rank % 2 == 1 then
  world:send(x, rank - 1)
end
stream:sync()
