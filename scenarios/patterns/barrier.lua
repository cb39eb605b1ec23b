scenario {
  ranks  = 4,
  params = { rounds = 3 },
  about  = "a barrier as an all-reduce of one element, and a wait for its stream",
}

-- NCCL has no barrier. Bindings that offer one keep a buffer of one element per communicator. The
-- collective alone holds up the stream only; it is the wait that holds up the host.
local one = cuda.buffer("float32", 1):fill(0)
local function meet()
  world:all_reduce(one, { label = "barrier" })
  stream:sync()
end

for round = 1, param.rounds do
  if rank == round % nranks then
    sleep(0.01) -- somebody is always late
  end
  store:add("came to " .. round, 1)
  meet()
  expect.equal(store:add("came to " .. round, 0), nranks, { label = "all came, then all went on" })
end
