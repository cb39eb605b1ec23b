scenario {
  ranks   = 4,
  about   = "two alike calls in the other order on rank 3: nothing hangs, the sums are mixed up",
  outcome = { wrong = true, finding = "swapped-calls" },
}

local x = cuda.buffer("int32", 4):fill(1)
local y = cuda.buffer("int32", 4):fill(100)

-- Count, type and operator agree, so the calls match. Only the labels show what went wrong.
if rank == 3 then
  world:all_reduce(y, { label = "y" })
  world:all_reduce(x, { label = "x" })
else
  world:all_reduce(x, { label = "x" })
  world:all_reduce(y, { label = "y" })
end
stream:sync()
expect.equal(x, 4)   -- 103
expect.equal(y, 400) -- 301
