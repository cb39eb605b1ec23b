-- Sends that are done ahead are kept by the host.
-- command: run --memory 64M --policy typical
-- status: 7
-- prints: the memory budget of 64 MiB (--memory) is used up
scenario { ranks = 2, sim = { eager = "1G" } }
local x = cuda.buffer("uint8", 4 << 20):fill(1)
world:all_reduce(x)
stream:sync()
for _ = 1, 100 do
    if rank == 0 then world:send(x, 1) else world:recv(x, 0) sleep(1) end
end
