scenario { ranks = 2, params = { n = 1 }, matrix = { n = { 1, 2, 3 } } }
local x = cuda.buffer("uint8", 1000):fill(1)
if param.n == 2 then for i = 1, 1e9 do store:set("key" .. i, i) end end
world:all_reduce(x)
stream:sync()
