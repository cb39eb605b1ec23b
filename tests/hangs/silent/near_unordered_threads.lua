scenario { ranks = 2, about = "threads that take turns on one communicator: by a join, by the store, by a stream" }

local x = cuda.buffer("float32", 8):fill(1)
local mine, done = "turn of " .. rank, "done by " .. rank
local thread = spawn(function()
  store:get(mine)
  world:all_reduce(x)
  stream:sync()
  store:set(done, 1)
  return true
end)
world:all_reduce(x)
store:set(mine, 1)
store:get(done)
world:all_reduce(x)
expect.that(thread:join())
spawn(function() world:all_reduce(x) end):join()
local ready = false
spawn(function()
  sleep(1)
  world:all_reduce(x)
  ready = true
end)
while not ready do sleep(0.01) end
world:all_reduce(x)
stream:sync()
expect.equal(x, 64)
