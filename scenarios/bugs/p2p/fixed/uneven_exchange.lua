scenario {
  about   = "the mended uneven_exchange: first the counts, by an all-to-all of one number each",
  params  = { from = 0, to = 1 },
  matrix  = { ranks = { 3, 4, 8 }, from = { 0, 2 }, to = { 1 } },
}

local x, y  = cuda.buffer("float16", 64):fill(1), cuda.buffer("float16", 16 * nranks)
local out   = cuda.buffer("int32", nranks):fill(function(i) return 1 + (rank * 3 + i - 1) % 4 end)
local count = cuda.buffer("int32", nranks)
world:all_to_all(out, count)
stream:sync()

nccl.group(function()
  for r = 0, nranks - 1 do
    world:send(x, r, { count = out[r + 1] })
    world:recv(y:slice(16 * r + 1), r, { count = count[r + 1] })
  end
end)
stream:sync()
