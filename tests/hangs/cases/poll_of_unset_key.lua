-- No call blocks, so nothing looks stuck: nothing changes any more.
scenario { ranks = 2, outcome = { hang = { waiting = 0, why = "livelock" }, findings = 1 } }

if rank == 0 then
  while not store:get("ready", { timeout = 0 }) do
  end
end
