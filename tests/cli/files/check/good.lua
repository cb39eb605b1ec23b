scenario { ranks = 2, params = { count = 8 } }
local x = cuda.buffer("float32", param.count):fill(1)
world:all_reduce(x)
expect.equal(x, nranks)
local lacking = string.gsub2
if C.has("ncclAllReduce") then print(C.ncclSum, lacking, _ENV ~= nil) end
