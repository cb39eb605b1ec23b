-- status: 4
-- prints: a call of Lua's library goes through more than 500000000 elements
scenario { ranks = 1 }
-- Each element that is missing is the concatenation of all that are there.
local t = {}
for i = 1, 100000 do
  t[i] = ""
end
table.concat(setmetatable(t, { __index = table.concat }), "", 1, 200000)
