scenario {
  ranks   = 3,
  about = "a rank dies, and lets go of all that it had: no destroy waits for it",
}
local part = world:split { color = 0, name = "part" }
local x = cuda.buffer("float32", 16):fill(1)
part:all_reduce(x)
stream:sync()
fault.kill { rank = 2 }
part:destroy()
