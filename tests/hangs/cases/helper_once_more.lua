scenario { ranks = 4 }

local function reduce(count)
  local x = cuda.buffer("float32", count)
  world:all_reduce(x)
  stream:sync()
end

reduce(64)
if rank == 1 then reduce(1) end
reduce(128)
reduce(192)
