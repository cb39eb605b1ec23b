-- status: 124
-- prints: rank 0 computes without end at line 6: 
scenario { ranks = 1 }
local i = 0
while true do
  i = i + 1
end
