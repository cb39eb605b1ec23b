-- What ranks put into the store is the host's memory.
-- command: run --memory 64M
-- status: 7
-- prints: the memory budget of 64 MiB (--memory) is used up
-- prints: --memory SIZE gives the run more than 64 MiB
scenario { ranks = 1 }
for i = 1, 1e9 do store:set("key" .. i, i) end
