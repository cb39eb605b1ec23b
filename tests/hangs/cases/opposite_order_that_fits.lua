scenario { ranks = 3, sim = { lanes = 2 } }

local rows, columns = world:split { color = 0 }, world:split { color = 0 }
rows.stream, columns.stream = cuda.stream(), cuda.stream()
local x = cuda.buffer("float32", 64):fill(1)
rows:all_reduce(x)
rows.stream:sync()
columns:all_reduce(x)
columns.stream:sync()

if rank == 2 then
  rows, columns = columns, rows
end
rows:broadcast(x)
columns:broadcast(cuda.buffer("float32", 64))
cuda.sync()
