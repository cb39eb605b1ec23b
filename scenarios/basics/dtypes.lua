scenario {
  ranks = 4,
  needs = { gpus = 4 }, -- a free waits for all that runs on its GPU, also for other ranks' kernels
  about = "one all-reduce and one all-gather in each of the twelve types",
}

local dtypes = {
  "int8", "uint8", "int32", "uint32", "int64", "uint64",
  "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2",
}

-- Small whole numbers are exact even in 8 bits of floating point.
for _, dtype in ipairs(dtypes) do
  local x = cuda.buffer(dtype, 33):fill(rank % 2 + 1)
  local all = cuda.buffer(dtype, 33 * nranks)
  world:all_gather(x, all)
  world:all_reduce(x)
  stream:sync()
  expect.equal(all, function(i) return (i - 1) // 33 % 2 + 1 end, { label = dtype })
  expect.equal(x, nranks + nranks // 2, { label = dtype })
  x:free()
  all:free()
end
