scenario { ranks = 2, about = "one count each time, and another the next time; the buffers have other sizes" }

local x, y = cuda.buffer("float16", 64):fill(rank), cuda.buffer("float16", 100):fill(-1)
for count = 1, 64, 21 do
  if rank == 0 then
    world:send(x, 1, { count = count })
  else
    world:recv(y, 0, { count = count })
  end
end
stream:sync()
if rank == 1 then
  expect.equal(y:slice(1, 64), 0)
  expect.equal(y:slice(65), -1)
end
