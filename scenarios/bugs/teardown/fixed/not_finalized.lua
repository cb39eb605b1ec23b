scenario {
  about  = "the mended not_finalized: every rank finalizes, which closes its connections; a destroy may come later",
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4, 8 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)
stream:sync()
world:finalize()
if rank ~= param.culprit then
  world:destroy()
end
barrier()
if rank == param.culprit then
  world:destroy()
end
