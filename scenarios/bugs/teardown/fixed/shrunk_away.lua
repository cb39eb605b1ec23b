scenario {
  about  = "the mended shrunk_away: the rank that was left out destroys its old communicator before it waits",
  matrix = { ranks = { 3, 4, 8 } },
  needs  = { nccl = "2.27" },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
if rank < nranks - 1 then
  local few = world:shrink { nranks - 1 }
  few:all_reduce(x)
  stream:sync()
  world:destroy()
  if rank == 0 then store:set("done", true) end
else
  world:destroy()
  store:get("done")
end
