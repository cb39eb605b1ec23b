scenario { ranks = 2, about = "one communicator on several streams: the order of calls counts" }

local streams = { stream, cuda.stream(), cuda.stream() }
local x = {}
for i, s in ipairs(streams) do
  x[i] = cuda.buffer("int32", 100 * i):fill(i)
  -- Rank 1 goes through the streams in another order; the calls are the same.
  world:all_reduce(x[i], { stream = rank == 0 and s or streams[#streams + 1 - i] })
end
cuda.sync()
for i = 1, 3 do
  expect.equal(x[i], 2 * i)
end
