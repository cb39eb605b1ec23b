scenario {
  about  = "the mended child_not_aborted: children first, then the parent",
  matrix = { ranks = { 2, 4 } },
}

local half = world:split { color = 0, name = "half" }
local x = cuda.buffer("float32", 16):fill(1)
half:all_reduce(x)
stream:sync()

fault.kill { rank = nranks - 1 }
local watchdog = spawn(function()
  sleep(1)
  half:abort()
  world:abort()
end)
half:all_reduce(x)
stream:sync()
watchdog:join()
expect.that(half.interrupted)
