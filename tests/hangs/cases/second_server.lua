-- Rank 2 takes itself for the server. All wait in a cycle, but no rank that it names names it.
scenario { ranks = 5 }

local x = cuda.buffer("float32", 4):fill(1)
for round = 1, 2 do
  if rank == 0 or rank == 2 then
    for worker = 1, nranks - 1 do
      if worker ~= rank then world:recv(x, worker) end
    end
    for worker = 1, nranks - 1 do
      if worker ~= rank then world:send(x, worker) end
    end
  else
    world:send(x, 0)
    world:recv(x, 0)
  end
end
