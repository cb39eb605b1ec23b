scenario { ranks = 3, about = "waits of the host that end: late, by their time-out, by a thread, in any order of barriers" }

if rank == 2 then
  sleep(600)
  store:set("late", 1)
end
expect.equal(store:get("late"), 1)
expect.equal(store:get("never", { timeout = 5 }), nil)
local thread = spawn(function() store:set("of " .. rank, store:get("of all")) end)
barrier()
if rank == 0 then
  store:set("of all", 3)
end
thread:join()
for other = 0, nranks - 1 do
  expect.equal(store:get("of " .. other), 3)
end
if rank < 2 then
  barrier { ranks = { 0, 1 } }
end
