scenario { ranks = 4 }
local pair = world:split { color = rank // 2, name = "pair" .. rank // 2 }
local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()
pair:destroy()
world:broadcast(x)
stream:sync()
world:destroy()
