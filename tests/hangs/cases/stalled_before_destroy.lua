scenario {
  ranks   = 3,
  about   = "a rank stops for ever, alive, and the others wait in the destroy until it lets go",
  outcome = { hang = { culprit = 2, waiting = { 0, 1 }, why = "rank-lost" } },
}

local part = world:split { color = 0, name = "part" }
local x = cuda.buffer("float32", 16):fill(1)
part:all_reduce(x)
stream:sync()
fault.stall { rank = 2 }
part:destroy()
