scenario { ranks = 4, about = "an hour late; every rank leaves out the same calls; and fewer of a smaller communicator" }

local x = cuda.buffer("float32", 8):fill(1)
local half = world:split { color = rank // 2 }
if rank == 2 then
  sleep(3600)
end
for step = 1, 6 do
  if step % 3 ~= 0 then
    world:all_reduce(x)
  end
  if step > 3 * (rank // 2) then
    half:all_reduce(x)
  end
end
stream:sync()
