scenario {
  about  = "the mended abort_in_call: the watchdogs of all ranks hear of it, and every one aborts",
  needs  = { driver = "sim" },
  matrix = { ranks = { 2, 4 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()

local watchdog = spawn(function()
  store:get("late")
  world:abort()
end)
if rank == nranks - 1 then
  stream:delay(60)
  world:all_reduce(x)
  sleep(1)
  store:set("late", true)
else
  world:all_reduce(x)
end
stream:sync()
watchdog:join()
expect.that(world.interrupted)
