-- status: 4
-- prints: more than 100000000 elements of a table
scenario { ranks = 1 }
table.concat(setmetatable({}, { __index = table.concat }), "", math.mininteger, math.maxinteger)
