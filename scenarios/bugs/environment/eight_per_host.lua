scenario {
  about   = "a program assumes that rank % 8 is the number on the host; host 1 has 7 devices, so the leader of host 2 is rank 15",
  needs   = { driver = "sim" },
  params  = { rounds = 1 },
  matrix  = { ranks = { 16, 23 }, rounds = { 1, 2 } },
  devices = { 8, 7, 8 },
  bug     = { entry = "P3", nccl = "waits" },
  outcome = { hang = { culprit = 15, call = 1, comm = "leaders", why = "skipped-call" }, findings = 1,
              finding = { rule = "skipped-call", culprit = 15, certainty = "certain" } },
}

local x = cuda.buffer("float32", 64):fill(1)
local leaders = world:split { color = cuda.device() == 0 and 0 or nccl.NOCOLOR, name = "leaders" }
for round = 1, param.rounds do
  world:all_reduce(x)
  if leaders and rank % 8 == 0 then
    leaders:all_reduce(x)
  end
  stream:sync()
end
