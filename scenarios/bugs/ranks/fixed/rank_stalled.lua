scenario {
  about  = "the mended rank_stalled: work that does not end in time is aborted on every other rank",
  needs  = { driver = "sim" },
  params = { victim = 1 },
  matrix = { ranks = { 2, 4 }, victim = { 0, 1 } },
}

local x = cuda.buffer("float32", 1024):fill(rank)
fault.stall { rank = param.victim, func = "cudaStreamSynchronize", nth = 2 }
local done = false
local watchdog = spawn(function()
  sleep(600)
  if not done then world:abort() end
end)
for _ = 1, 4 do
  world:all_reduce(x)
  stream:sync()
  if world.interrupted then break end
end
done = not world.interrupted
watchdog:join()
