scenario {
  ranks = 2,
  about = "a callback in a stream waits for a rank that waits for the stream",
  outcome = { hang = { culprit = { 0, 1 }, call = 1, why = "host-wait" } },
}

local x = cuda.buffer("float32", 1024):fill(rank)

-- The all-reduce of rank 1 is behind its callback, which waits for a key that rank 0 would set once
-- the all-reduce is over.
if rank == 1 then
  stream:callback(function() store:get("go on") end)
end
world:all_reduce(x)
stream:sync()
if rank == 0 then
  store:set("go on", true)
end
