scenario {
  ranks   = 1,
  world   = false,
  about   = "one thread drives four GPUs: the link between two is cut, the link between the others is not",
  outcome = { hang = { culprit = { 1, 2 }, comm = "comm1", call = 2, why = "link-cut" } },
}

local comms, x = nccl.init_all(4), {}
for i = 1, 4 do
  cuda.set_device(i - 1)
  x[i] = cuda.buffer("int32", 8):fill(1)
end
fault.link { comm = comms[2], peer = 2 }
nccl.group(function()
  comms[1]:send(x[1], 3)
  comms[4]:recv(x[4], 0)
end)
comms[4].stream:sync()
nccl.group(function()
  for i = 1, 4 do comms[i]:all_reduce(x[i]) end
end)
comms[1].stream:sync()
