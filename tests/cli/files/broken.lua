scenario { ranks = 2 }

local x = = 1
