scenario { ranks = 2, world = false, about = "a call comes too early, is told so, and is made again when all is ready" }

if rank == 0 then store:set("id", nccl.unique_id()) end
local team = nccl.init_rank(nranks, store:get("id"), rank, { blocking = false, name = "team" })
local x = cuda.buffer("float32", 8):fill(1)
local soon = pcall(team.all_reduce, team, x)
team:wait_ready()
if not soon then team:all_reduce(x) end
team:wait_ready()
stream:sync()
