-- A check obeys the budget too.
-- command: check --memory 64M
-- status: 7
-- never: Killed
scenario { ranks = 1 }
local t = {}
for i = 1, 1e9 do t[i] = ("x"):rep(1 << 20) .. i end
