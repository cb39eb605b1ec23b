scenario { ranks = 2, about = "a thread of the rank watches the others and aborts what hangs" }

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank == 1 then
  return -- rank 0 is left alone in the next call
end

local watch = spawn(function()
  sleep(2)
  world:abort()
end)
world:all_reduce(x)
stream:sync() -- would never end; the abort ends it, and without an error
watch:join()
expect.that(world.interrupted)
expect.equal(world.state, "aborted")
