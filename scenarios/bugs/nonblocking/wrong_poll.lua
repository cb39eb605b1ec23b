scenario {
  about   = "the loop that waits until a communicator is ready has its condition the wrong way round",
  world   = false,
  matrix  = { ranks = { 2, 4 } },
  bug     = { entry = "J2", thread = "ROCm/rccl#662",
              nccl = "leaves the loop at once while in progress: ncclInvalidArgument in the next call" },
  outcome = { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = 0, findings = 1 },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
if rank == 1 then sleep(1) end -- the others have to wait for this one
local team = nccl.init_rank(nranks, id, rank, { blocking = false, name = "team" })
local x = cuda.buffer("float32", 4):fill(1)
if rank == 1 then
  team:wait_ready()
else
  while team:async_error() == "ncclSuccess" do end -- meant: while it is in progress
end
team:all_reduce(x)
team:wait_ready()
stream:sync()
