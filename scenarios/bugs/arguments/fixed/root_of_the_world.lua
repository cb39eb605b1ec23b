scenario {
  about   = "the mended root_of_the_world: the root as the part counts",
  matrix  = { ranks = { 4, 6, 8 } },
}

local half = nranks // 2
local part = world:split { color = rank // half }
local lead = rank // half * half

local x = cuda.buffer("float32", 64):fill(rank)
part:broadcast(x, { root = lead - rank + part.rank })
stream:sync()
expect.equal(x, lead)
