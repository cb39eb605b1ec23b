scenario { ranks = 4, about = "the mended error_path: agree on who failed before going on" }

local x  = cuda.buffer("float32", 16):fill(1)
local ok = cuda.buffer("int32", 1)
world:all_reduce(x)

ok:fill(rank == 1 and 0 or 1)
world:all_reduce(ok, { op = "min" })
stream:sync()
if ok[1] == 0 then
  return -- all of them
end
world:broadcast(x)
stream:sync()
