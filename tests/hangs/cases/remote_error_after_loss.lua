-- Rank 7 is lost before its all-to-all, and the call of rank 8, which is on another host, fails because of that: its error says
-- only that a rank is gone.
scenario { ranks = 9 }
local a, b = cuda.buffer("float32", 5 * nranks), cuda.buffer("float32", 5 * nranks)
fault.kill { rank = 7, comm = world, call = 2 }
for step = 1, 4 do
  stream:sync()
  world:all_reduce(a:slice(1, 4))
  if rank == 8 then sleep(1) end
  world:all_to_all(a, b)
  stream:sync()
end
