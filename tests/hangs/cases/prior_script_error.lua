-- An error of the script's own, in a function that others call, too, is caught on one rank, which goes on.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(1)
local function load_batch(step)
  if rank == 3 and step == 2 then error("batch 2 is empty") end
end
for step = 1, 3 do
  if pcall(load_batch, step) then
    world:all_reduce(x)
  end
  world:broadcast(x)
  stream:sync()
end
