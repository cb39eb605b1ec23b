scenario {
  about   = "a program takes rank % 8 for the number on the host; host 0 has 7 devices, so the leader of host 1 is rank 7",
  needs   = { driver = "sim" },
  params  = { rounds = 1 },
  matrix  = { ranks = { 9, 15 }, rounds = { 1, 2 } },
  devices = { 7, 8 },
  bug     = { entry = "P3", nccl = "waits" },
  outcome = { hang = { culprit = 7, call = 1, comm = "leaders", waiting = 0, why = "skipped-call" }, findings = 1,
              finding = { rule = "skipped-call", culprit = 7, certainty = "certain" } },
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
