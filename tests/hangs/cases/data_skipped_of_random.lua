-- One call of rank 1 is missing, and its results are wrong from the fifth on. All calls look alike: their numbers alone
-- show that one is missing.
scenario { ranks = 4 }
local x = cuda.buffer("int32", 4)
local function value(r, step)
  return (r * 7919 + step * step * 104729 + r * step * 31) % 1000
end
for step = 1, 9 do
  if not (rank == 1 and step == 5) then
    x:fill(value(rank, step))
    world:all_reduce(x)
    stream:sync()
    local want = 0
    for r = 0, nranks - 1 do want = want + value(r, step) end
    expect.equal(x, want)
  end
end
