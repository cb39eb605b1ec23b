scenario {
  about  = "the mended left_out_of_pairs: every rank destroys its pair before the next call",
  params = { odd = 1 },
  matrix = { ranks = { 4, 6, 8 }, odd = { 1, 2 } },
  needs  = { driver = "sim" },
}

local pair = world:split { color = rank // 2, name = "pair" }
local x = cuda.buffer("float32", 16):fill(1)
pair:all_reduce(x)
world:all_reduce(x)
stream:sync()
pair:destroy()
world:all_reduce(x)
stream:sync()
