scenario {
  about  = "the mended use_before_ready: every rank polls until the communicator is ready, then uses it",
  world  = false,
  params = { busy = "init", culprit = 0 },
  matrix = { ranks = { 2, 4 }, busy = { "init", "split" }, culprit = { 0, 1 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
if rank == 1 - param.culprit and param.busy == "init" then sleep(1) end
local team = nccl.init_rank(nranks, id, rank, { blocking = false, name = "team" })
local x = cuda.buffer("float32", 4):fill(1)
if param.busy == "split" then
  team:wait_ready()
  if rank == 1 - param.culprit then sleep(1) end
  team:split { color = 0 }
end
team:wait_ready()
team:all_reduce(x)
team:wait_ready()
stream:sync()
expect.equal(x, nranks)
