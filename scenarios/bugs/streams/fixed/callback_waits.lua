scenario { ranks = 2, about = "the mended callback_waits: the key is set before the wait for the stream" }

local x = cuda.buffer("float32", 1024):fill(rank)

if rank == 0 then
  store:set("go on", true)
else
  stream:callback(function() store:get("go on") end)
end
world:all_reduce(x)
stream:sync()
expect.equal(x, 1)
