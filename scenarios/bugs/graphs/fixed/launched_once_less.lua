scenario {
  about   = "the mended launched_once_less: every rank launches as often, with a fill where there are no data",
  needs   = { driver = "sim" },
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4 }, odd = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
local step = cuda.graph(stream, function() world:all_reduce(x) end)

for _ = 1, 3 do
  step:launch(stream)
end
stream:sync()
expect.equal(x, nranks ^ 3)
step:destroy()
