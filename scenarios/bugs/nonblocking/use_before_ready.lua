scenario {
  about   = "one rank uses a non-blocking communicator while it is still in progress",
  needs   = { driver = "sim" },
  world   = false,
  params  = { busy = "init", culprit = 0 },
  matrix  = { ranks = { 2, 4 }, busy = { "init", "split" }, culprit = { 0, 1 } },
  bug     = { entry = "J1", thread = "NVIDIA/nccl#1734",
              nccl = "ncclInvalidArgument, with a warning about the previous operation; the others wait" },
  outcome = function(run)
    return { error = "ncclInvalidArgument", call = "ncclAllReduce", rank = run.param.culprit, findings = 1,
             finding = { rule = "error-path", culprit = run.param.culprit, waiting = "others",
                         call = 1, comm = "team" } }
  end,
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
if rank == 1 - param.culprit and param.busy == "init" then sleep(1) end -- it cannot be ready before
local team = nccl.init_rank(nranks, id, rank, { blocking = false, name = "team" })
local x = cuda.buffer("float32", 4):fill(1)
if param.busy == "split" then
  team:wait_ready()
  if rank == 1 - param.culprit then sleep(1) end
  team:split { color = 0 }
end
if rank ~= param.culprit then
  team:wait_ready() -- left out by one rank
end
team:all_reduce(x)
team:wait_ready()
stream:sync()
