-- Like cases/sync_before_enqueued.lua, but polled first.
scenario { ranks = 2, sim = { ready_after = 3 } }

local comm = world:split { color = 0, blocking = false }
comm:wait_ready()
local x = cuda.buffer("int32", 16):fill(1)
comm:all_reduce(x)
comm:wait_ready()
comm.stream:sync()
expect.equal(x, 2)
nccl.group(function()
  comm:all_reduce(x)
  comm:all_reduce(x)
end)
comm:wait_ready()
comm.stream:sync()
expect.equal(x, 8)
