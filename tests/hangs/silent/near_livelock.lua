scenario { ranks = 2, about = "a poll of what another rank does only an hour later, and one that gives up" }

local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 then
  sleep(3600)
end
world:all_reduce(x)
while not stream:query() do end
local event = cuda.event()
stream:delay(3600)
event:record(stream)
for _ = 1, 10 do event:query() end
