scenario {
  ranks = 1,
  devices = 4,
  world = false,
  about = "a thread for each device joins by the id of the process; one makes an id of its own",
  outcome = { hang = { culprit = 2, why = "init-clash" } },
}

local id = nccl.unique_id()
local threads = {}
for device = 0, 3 do
  threads[device] = spawn(function()
    cuda.set_device(device)
    nccl.init_rank(4, device == 2 and nccl.unique_id() or id, device)
  end)
end
for device = 0, 3 do threads[device]:join() end
