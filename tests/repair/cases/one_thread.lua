-- A script that is several ranks and waits as one for the others.
scenario { ranks = 1, world = false, needs = { gpus = 2 }, outcome = { hang = { why = "one-thread-no-group" } } }

local comms, x = nccl.init_all(2), {}
for d = 0, 1 do
  cuda.set_device(d)
  x[d] = cuda.buffer("int32", 8):fill(d + 1)
end
for d = 0, 1 do comms[d + 1]:all_reduce(x[d]) end
for d = 0, 1 do comms[d + 1].stream:sync() end
for d = 0, 1 do expect.equal(x[d], 3) end
