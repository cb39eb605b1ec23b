scenario {
  ranks   = 2,
  about   = "busy for ever: a loop that polls for something that cannot come",
  outcome = { hang = { waiting = { 0 }, why = "livelock" } },
}

-- No call blocks, so nothing looks stuck. The simulator sees that nothing changes any more.
if rank == 0 then
  while not store:get("ready", { timeout = 0 }) do
  end
end
