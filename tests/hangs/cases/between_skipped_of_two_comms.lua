-- The steps have a call on another communicator. All calls of world look alike: numbers alone show that one is missing.
scenario { ranks = 4 }
local own = world:split { color = rank }
local x, y = cuda.buffer("float32", 16), cuda.buffer("float32", 16)
for step = 1, 6 do
  own:all_reduce(y)
  if not (rank == 3 and step == 2) then
    world:all_reduce(x)
  end
end
stream:sync()
