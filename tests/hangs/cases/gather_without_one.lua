scenario { ranks = 4 }

-- Those that only send to the root are through; the root waits for one.
local x, y = cuda.buffer("float32", 4), cuda.buffer("float32", 16)
world:gather(x, y)
stream:sync()
if rank ~= 3 then
  world:gather(x, y)
end
stream:sync()
