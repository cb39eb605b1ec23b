scenario {
  about   = "an hour late is not a hang: who sleeps can still come",
  params  = { at = "call" },
  matrix  = { ranks = { 2, 4 }, at = { "init", "call" } },
  needs   = { driver = "sim" }, -- the clock is virtual there: this takes no time
  world   = false,
  bug     = { entry = "M2", thread = "NVIDIA/nccl#708",
              nccl = "no problem; watchdogs of frameworks end the job after ten or thirty minutes" },
  outcome = { pass = true, findings = 0 },
}

if rank == 0 then
  store:set("id", nccl.unique_id())
end
local id = store:get("id")
if rank == 0 and param.at == "init" then sleep(3600) end -- loads a model
local team = nccl.init_rank(nranks, id, rank)
local x = cuda.buffer("float32", 16):fill(1)
if rank == 0 and param.at == "call" then sleep(3600) end -- prepares the data
team:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
expect.that(clock() >= 3600)
