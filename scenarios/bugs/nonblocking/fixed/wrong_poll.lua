scenario {
  about  = "the mended wrong_poll: the loop goes on as long as the communicator is in progress",
  world  = false,
  matrix = { ranks = { 2, 4 } },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
if rank == 1 then sleep(1) end
local team = nccl.init_rank(nranks, id, rank, { blocking = false, name = "team" })
local x = cuda.buffer("float32", 4):fill(1)
while team:async_error() == "ncclInProgress" do end
team:all_reduce(x)
team:wait_ready()
stream:sync()
expect.equal(x, nranks)
