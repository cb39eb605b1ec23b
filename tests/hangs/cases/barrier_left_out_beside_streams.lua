-- Rank 3 does not come to the barrier; it waits for its neighbour on another stream, by way of an event.
scenario { ranks = 4, outcome = { hang = { culprit = 3, why = "host-wait" } } }
local x = cuda.buffer("float32", 8):fill(rank)
local y = cuda.buffer("float32", 8):fill(rank)
local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
local side, ready, done = cuda.stream(), cuda.event(), cuda.event()
world:all_reduce(x)
pair:all_reduce(y, { stream = side })
if rank ~= 3 then
  barrier()
end
ready:record(stream)
side:wait(ready)
pair:all_reduce(y, { stream = side })
done:record(side)
stream:wait(done)
stream:sync()
