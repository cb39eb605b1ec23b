scenario { ranks = 2, about = "a ping-pong: sends and receives match in order, without tags" }

local x = cuda.buffer("float16", 32):fill(rank == 0 and 1 or 0)
local other = 1 - rank

for round = 1, 3 do
  if rank == 0 then
    world:send(x, other)
    world:recv(x, other)
  else
    world:recv(x, other)
    stream:sync()
    expect.equal(x, round)
    x:fill(round + 1)
    world:send(x, other)
  end
end
stream:sync()
expect.equal(x, 4)
