scenario { ranks = 2, about = "an operator for each communicator and type, destroyed behind the last call" }

local rows = world:split { color = 0, name = "rows" }
for _, comm in ipairs { world, rows } do
  for _, type in ipairs { "float32", "float16" } do
    local x = cuda.buffer(type, 8):fill(1)
    local half = comm:premulsum(type, 0.5)
    comm:all_reduce(x, { op = half })
    half:destroy()
    stream:sync()
  end
end
