scenario { ranks = 4, about = "a communicator of the even ranks: the others take part and get none" }

local even = world:split { color = rank % 2 == 0 and 0 or nccl.NOCOLOR, name = "even" }

if rank % 2 == 1 then
  expect.equal(even, nil)
else
  expect.equal(even.nranks, 2)
  local x = cuda.buffer("int64", 4):fill(rank)
  even:all_reduce(x)
  stream:sync()
  expect.equal(x, 2)
end
