scenario {
  about   = "the mended legacy_in_capture: the library gets the captured stream",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 1, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local main = cuda.stream { blocking = true }
local step = cuda.graph(main, function()
  world:all_reduce(x, { stream = main })
  main:delay(1e-4)
end)
step:launch(main)
main:sync()
expect.equal(x, nranks)
step:destroy()
