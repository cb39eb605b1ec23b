-- Blocks of a gather that belong to another step.
scenario { ranks = 4 }
local x, all = cuda.buffer("int32", 4), cuda.buffer("int32", 16)
for _, step in ipairs(rank == 1 and { 1, 2, 4, 3, 5 } or { 1, 2, 3, 4, 5 }) do
  x:fill(100 * step + 7 * rank * rank)
  world:all_gather(x, all)
  stream:sync()
  for r = 0, 3 do
    expect.equal(all:slice(4 * r + 1, 4), 100 * step + 7 * r * r)
  end
end
