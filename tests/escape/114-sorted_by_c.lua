-- status: 4
-- prints: a call of Lua's library goes through more than 500000000 elements
scenario { ranks = 1 }
table.sort(setmetatable({}, { __len = function() return 90000000 end, __index = function() return 1 end }), rawequal)
