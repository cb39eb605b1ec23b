scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
local y = cuda.buffer("float32", 8):fill(rank)
local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
local side, ready, done = cuda.stream(), cuda.event(), cuda.event()
world:all_reduce(x)
pair:all_reduce(y, { stream = side })
if rank >= 0 then
  barrier()
end
ready:record(stream)
side:wait(ready)
pair:all_reduce(y, { stream = side })
done:record(side)
stream:wait(done)
stream:sync()
