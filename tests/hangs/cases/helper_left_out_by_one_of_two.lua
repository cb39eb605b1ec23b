scenario { ranks = 2 }

local function reduce(count)
  local x = cuda.buffer("float32", count)
  world:all_reduce(x)
  stream:sync()
end

reduce(64)
if rank == 0 then reduce(128) end
reduce(192)
