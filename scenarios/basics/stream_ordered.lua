scenario {
  ranks = 2,
  about = "memory that is allocated and freed in the order of a stream",
}

local result = cuda.buffer("float32", 1024)

-- The host waits for nothing here: the memory of a step is freed when the stream has come that far.
for step = 1, 4 do
  local x = cuda.buffer("float32", 1024, { stream = stream })
  x:fill(step * (rank + 1), { stream = stream })
  world:all_reduce(x)
  result:copy_from(x, { stream = stream })
  x:free { stream = stream }
end
stream:sync()
expect.equal(result, 4 * nranks * (nranks + 1) / 2)
