scenario {
  about  = "the mended unwritten_broadcast: the whole buffer travels, and only what was written is read",
  params = { root = 0 },
  matrix = { ranks = { 2, 4, 8 }, root = { 0, 1 } },
}

local n = 12
local x = cuda.buffer("int32", n)
if rank == param.root then x:slice(1, n - 4):fill(7) end
world:broadcast(x, { root = param.root })
stream:sync()
local all = x:get(1, n - 4)
assert(#all == n - 4 and all[1] == 7)
