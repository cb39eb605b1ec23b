scenario { ranks = 4, needs = { driver = "sim" }, about = "an hour late is not a hang: who sleeps can still come" }

-- The clock of the simulator is virtual: this takes no time. Watchdogs of frameworks would have
-- ended the job after ten or thirty minutes.
if rank == 0 then
  sleep(3600)
end

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
expect.that(clock() >= 3600)
