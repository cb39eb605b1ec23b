scenario {
  about  = "the mended rank_killed: a watchdog on every rank aborts when a heartbeat is missing",
  params = { victim = "last", call = 5 },
  matrix = { ranks = { 2, 4, 8 }, victim = { "first", "last" }, call = { 1, 5 } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
local victim = param.victim == "first" and 0 or nranks - 1
local watchdog = spawn(function()
  store:get("beat" .. victim, { timeout = 20 }) -- what the victim would say at its end
  if not store:get("beat" .. victim, { timeout = 0 }) then world:abort() end
end)
fault.kill { rank = victim, call = param.call }
for _ = 1, 8 do
  if not pcall(world.all_reduce, world, x) then break end -- an abort ends the calls of hosts with an error
  stream:sync()
  if world.interrupted then break end
end
watchdog:join()
expect.equal(world.state, "aborted")
