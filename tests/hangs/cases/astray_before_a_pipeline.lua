-- One rank leaves out a collective and goes on into a pipeline of messages.
scenario { ranks = 4 }
local x, y = cuda.buffer("float32", 8):fill(rank), cuda.buffer("float32", 8)
if rank ~= 1 then
  world:all_reduce(x)
end
if rank > 0 then world:recv(y, rank - 1) end
if rank < nranks - 1 then world:send(y, rank + 1) end
stream:sync()
