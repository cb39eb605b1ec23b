scenario {
  about   = "the mended captured_on_one: that rank launches what it has captured",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 3, 4 }, odd = { 0, 2 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local step
if rank == param.odd then
  step = cuda.graph(stream, function() world:all_reduce(x) end)
  step:launch(stream)
else
  world:all_reduce(x)
end
stream:sync()
expect.equal(x, nranks)
if step then
  step:destroy()
end
