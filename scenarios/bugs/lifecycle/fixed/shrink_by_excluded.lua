scenario {
  about  = "the mended shrink_by_excluded: only those who stay call shrink",
  params = { out = 1 },
  matrix = { ranks = { 3, 4 }, out = { 0, 2 } },
}

if rank ~= param.out then
  local rest = world:shrink { param.out }
  local x = cuda.buffer("float32", 8):fill(1)
  rest:all_reduce(x)
  stream:sync()
  expect.equal(x, nranks - 1)
end
