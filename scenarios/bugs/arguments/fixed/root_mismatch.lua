scenario { ranks = 4, about = "the mended root_mismatch: the root comes from one place" }

if rank == 3 then
  store:set("root", 1)
end
local x = cuda.buffer("float32", 64):fill(rank)
world:broadcast(x, { root = store:get("root") })
stream:sync()
expect.equal(x, 1)
