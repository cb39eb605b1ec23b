scenario { ranks = 2, about = "the mended livelock: polling with an end, or for what does come" }

if rank == 0 then
  local deadline = clock() + 60
  while not store:get("ready", { timeout = 0 }) and clock() < deadline do
  end
  expect.that(clock() < deadline, "rank 1 was in time")
else
  sleep(1)
  store:set("ready", true)
end
