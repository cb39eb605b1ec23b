scenario {
  ranks   = 4, needs = { driver = "sim" },
  devices = 2, -- per host: a network is between the ranks 1 and 2, and 3 and 0
  about   = "a rank dies: its peers are told by a watcher, abort, and go on without it",
}

local dead = 3
local x = cuda.buffer("float32", 1024)

-- NCCL tells nobody but the neighbours in the network: whoever hears of it tells all others.
local watcher = spawn(function()
  while not store:get("failed", { timeout = 0.001 }) do
    if world:async_error() ~= "ncclSuccess" then store:set("failed", true) end
    if store:get("done", { timeout = 0 }) then return end
  end
  world:abort()
end)

fault.kill { rank = dead, call = 3 }
for _ = 1, 4 do
  x:fill(1)
  world:all_reduce(x)
  stream:sync() -- ends when the watcher aborts
  if world.interrupted then break end
end
watcher:join()

-- The survivors keep their order and make a communicator of their own.
if rank == 0 then store:set("id", nccl.unique_id()) end
local rest = nccl.init_rank(nranks - 1, store:get("id"), rank)
x:fill(1)
rest:all_reduce(x)
stream:sync()
expect.equal(x, nranks - 1)
