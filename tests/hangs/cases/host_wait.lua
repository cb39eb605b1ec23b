scenario {
  ranks   = 3,
  about   = "rank 0 waits for a word from rank 2, which says it under another name",
  outcome = { hang = { culprit = 2, waiting = { 0, 1 }, why = "host-wait" } },
}

if rank == 2 then
  store:set("config", 42)
else
  if rank == 0 then
    store:get("configuration")
  end
  barrier { ranks = { 0, 1 } }
end
