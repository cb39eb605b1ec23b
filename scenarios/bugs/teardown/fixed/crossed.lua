scenario {
  about  = "the mended crossed: one group destroys both, in any order",
  params = { odd = 0 },
  matrix = { ranks = { 2, 3, 4, 8 }, odd = { 0, 1 } },
}

local rows, columns = world:split { color = 0, name = "rows" }, world:split { color = 0, name = "columns" }
local x = cuda.buffer("float32", 16):fill(1)
rows:all_reduce(x)
columns:all_reduce(x)
stream:sync()
nccl.group(function()
  if rank == param.odd then
    columns:destroy()
    rows:destroy()
  else
    rows:destroy()
    columns:destroy()
  end
end)
