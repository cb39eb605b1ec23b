scenario {
  about  = "the mended callback_waits: the key is set before the wait for the stream",
  matrix = { ranks = { 2, 4 } },
}

local x = cuda.buffer("float32", 1024):fill(1)

if rank == 0 then
  store:set("go on", true)
elseif rank == 1 then
  stream:callback(function() store:get("go on") end)
end
world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
