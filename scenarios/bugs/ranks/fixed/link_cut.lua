scenario {
  about   = "the mended link_cut: who gets the asynchronous error tells all others, and all abort",
  devices = 2,
  matrix  = { ranks = { 4, 8 } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
world:all_reduce(x)
stream:sync()

fault.link { rank = 1, peer = 2 }
barrier()
world:all_reduce(x)
sleep(1)
if world:async_error() ~= "ncclSuccess" then
  store:set("failed", true)
end
if store:get("failed", { timeout = 60 }) then
  world:abort()
end
stream:sync()
expect.that(world.interrupted)
