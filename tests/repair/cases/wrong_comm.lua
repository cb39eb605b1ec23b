-- Rank 2 names the whole where its pair is meant, and a rank of the whole.
scenario { ranks = 4, outcome = { hang = { why = "wrong-comm" } } }

local pair = world:split { color = rank // 2 }
local x = cuda.buffer("int32", 4):fill(rank)
if rank == 2 then
  world:send(x, 3)
elseif rank == 3 then
  pair:recv(x, 0)
end
stream:sync()
expect.equal(x, rank == 3 and 2 or rank)
