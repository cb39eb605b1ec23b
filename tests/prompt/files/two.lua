scenario { about = "two variables", ranks = 3, params = { n = 4 } }

local x = cuda.buffer("float32", param.n):fill(rank)
local function double(v)
  return 2 * v
end
if rank > 0 then
  world:all_reduce(x)
end
