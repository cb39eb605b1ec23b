-- command: run --memory 64M
-- status: 7
-- prints: not enough memory for what the script holds
scenario { ranks = 1 }
local t = {}
while true do t[#t + 1] = {} end
