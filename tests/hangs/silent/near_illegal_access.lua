scenario { ranks = 3, about = "buffers that fit exactly, that nobody needs, and that are freed when all is done" }

local small, all = cuda.buffer("float32", 4):fill(rank), nil
if rank == 1 then
  all = cuda.buffer("float32", 4 * nranks)
end
world:gather(small, all, { root = 1 })
world:broadcast(rank == 2 and small or nil, small, { root = 2 })
stream:sync()
if rank == 1 then
  expect.equal(all, function(i) return (i - 1) // 4 end)
  all:free()
end
expect.equal(small, 2)
local last = cuda.buffer("float32", 4):fill(1)
world:all_reduce(last)
last:free() -- waits for the device
