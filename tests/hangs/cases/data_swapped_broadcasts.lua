-- Rank 2 only receives, but expects the third before the second; all others have what they expected.
scenario { ranks = 4 }
local x = cuda.buffer("int32", 4)
for _, step in ipairs(rank == 2 and { 1, 3, 2, 4, 5 } or { 1, 2, 3, 4, 5 }) do
  x:fill(rank == 0 and step * step or 0)
  world:broadcast(x, { root = 0 })
  stream:sync()
  expect.equal(x, step * step)
end
