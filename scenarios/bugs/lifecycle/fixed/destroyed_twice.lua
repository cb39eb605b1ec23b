scenario {
  about  = "the mended destroyed_twice: a communicator has one owner, who destroys it once, at the end",
  params = { second = "destroy" },
  matrix = { ranks = { 2, 4 }, second = { "destroy", "use" } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
if param.second == "use" then world:all_reduce(x) end
stream:sync()

C.check(C.ncclCommDestroy(world))
