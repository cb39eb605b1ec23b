-- command: run --memory 64M
-- status: 7
-- prints: the memory budget of 64 MiB (--memory) is used up
scenario { ranks = 1 }
local x = cuda.buffer("uint8", 4)
for i = 1, 1e9 do x:fill(0, { label = ("x"):rep(60000) .. i }) end
