scenario {
  ranks = 2,
  about = "the average of integers: sum, wrap around, then divide towards zero",
  outcome = { pass = true, finding = { rule = "integer-average", call = 1 } },
}

local function avg(dtype, a, b)
  local x = cuda.buffer(dtype, 1):fill(rank == 0 and a or b)
  world:all_reduce(x, { op = "avg" })
  stream:sync()
  return x[1]
end

expect.equal(avg("int32", 1, 2), 1)       -- 3 / 2
expect.equal(avg("int32", -7, 4), -1)     -- -3 / 2, not rounded down to -2
expect.equal(avg("int8", 100, 100), -28)  -- the sum 200 wraps to -56 in 8 bits
expect.equal(avg("uint8", 200, 100), 22)  -- 300 wraps to 44
expect.equal(avg("float16", 1, 2), 1.5)   -- floats: each input times 1/n, then the sum
