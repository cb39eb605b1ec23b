scenario { ranks = 2, params = { n = 3 }, matrix = { n = { 1, 2 } } }
local x = cuda.buffer("float32", 4):fill(rank)
world:all_reduce(x)
stream:sync()
local t = {}
for i = 1, 1000 do t[i] = { tostring(i) } end
pcall(error, { code = 1 })
store:set("key" .. rank, t)
barrier()
store:get("key" .. 1 - rank)
