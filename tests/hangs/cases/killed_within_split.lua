scenario {
  ranks   = 3,
  about   = "a rank dies while another of its threads waits in a split: the others miss it there",
  outcome = { hang = { culprit = 1, waiting = { 0, 2 }, why = "rank-lost" } },
}

local t = spawn(function()
  if rank == 0 then sleep(1) end
  world:split { color = 0 }
end)
if rank == 1 then
  sleep(0.5)
  fault.kill {}
end
t:join()
