scenario { ranks = 2 }

local function reduce(count)
  local x = cuda.buffer("float32", count)
  world:all_reduce(x)
  stream:sync()
end

reduce(64)
reduce(128)
reduce(192)
