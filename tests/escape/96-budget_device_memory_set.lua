-- command: run --memory 64M
-- status: 7
-- prints: the memory budget of 64 MiB (--memory) is used up
-- never: not reached
scenario { ranks = 1, sim = { memory = "80G" } }
local x = cuda.buffer("uint8", 60 << 30)
x:fill(1)
stream:sync()
print("not reached")
