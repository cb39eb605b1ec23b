scenario { ranks = 2, params = { waits = true } }

local x = cuda.buffer("float32", 8):fill(1)
if rank == 1 then
  sleep(1)
end
world:all_reduce(x)
if rank == 0 then
  expect.equal(clock() >= 1, param.waits)
end
