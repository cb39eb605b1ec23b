-- Large memory takes room when it is written, by whatever it is written.
-- command: run --memory 64M
-- status: 7
-- prints: the memory budget of 64 MiB (--memory) is used up
-- never: WRONG
scenario { ranks = 2, sim = { memory = "80G" } }
local x = cuda.buffer("uint8", 20 << 30)
world:all_reduce(x)
stream:sync()
print("not reached")
