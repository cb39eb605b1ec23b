-- Barriers at other lines, keys that nobody asks for, threads that only some ranks spawn: ranks need not do alike.
scenario { ranks = 4 }
local x = cuda.buffer("float32", 8):fill(rank)
store:set("seen-by-nobody-" .. rank, rank)
if rank == 0 then
  barrier()
  store:set("go", 1)
else
  barrier()
  store:get("go")
end
if rank == 2 then
  local thread = spawn(function() store:set("side", rank) end)
  thread:join()
end
if rank % 2 == 0 then
  barrier { ranks = { 0, 2 } }
end
expect.equal(store:get("side"), 2)
for step = 1, 3 do
  if step == rank then
    store:set("step" .. step, rank)
  end
  expect.equal(store:get("step" .. step), step)
end
world:all_reduce(x)
stream:sync()
