scenario { ranks = 4 }

local x   = cuda.buffer("float32", 8)
local row = world:split { color = rank == 2 and 0 or rank // 2, name = "row" }

if row.rank == 0 and row.nranks > 1 then
  row:send(x, 1)
elseif row.rank > 0 then
  row:recv(x, 0)
end
stream:sync()
