scenario { ranks = 2 }
local x
world:all_reduce(x)
