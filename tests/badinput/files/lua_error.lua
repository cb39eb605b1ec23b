scenario { ranks = 2 }
local t
print(t.x)
