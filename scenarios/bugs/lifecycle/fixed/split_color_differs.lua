scenario {
  about  = "the mended split_color_differs: the color of every rank is the half that it belongs to",
  matrix = { ranks = { 4, 8 } },
}

local row = world:split { color = rank // (nranks // 2), name = "row" }
local x = cuda.buffer("float32", 8):fill(1)

if rank < nranks // 2 then
  row:all_reduce(x)
end
stream:sync()
world:all_reduce(x)
stream:sync()
