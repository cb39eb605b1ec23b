scenario {
  ranks = 2,
  about = "what the streams of a dead rank have not begun never begins",
}

stream:delay(1)
stream:callback(function() store:set("ran" .. rank, true) end)
fault.kill { rank = 1 }
stream:sync()
expect.that(store:get("ran0", { timeout = 0 }))
expect.that(store:get("ran1", { timeout = 10 }) == nil, "rank 1 is dead")
