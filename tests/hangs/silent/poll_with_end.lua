scenario { ranks = 2, about = "polling a stream that is waited for in earnest: it ends" }

local x = cuda.buffer("float32", 4):fill(1)
local polls = 0
if rank == 1 then
  sleep(7200)
end
world:all_reduce(x)
stream:delay(3600)
while not stream:query() do
  polls = polls + 1
end
expect.that(polls > 0)
expect.equal(x, 2)
