scenario {
  about   = "the mended eight_per_host: the number on the host is that of the device, whatever the host has",
  needs   = { driver = "sim" },
  params  = { rounds = 1 },
  matrix  = { ranks = { 16, 23 }, rounds = { 1, 2 } },
  devices = { 8, 7, 8 },
  outcome = { pass = true, findings = 0 },
}

local x = cuda.buffer("float32", 64):fill(1)
local leaders = world:split { color = cuda.device() == 0 and 0 or nccl.NOCOLOR, name = "leaders" }
for round = 1, param.rounds do
  world:all_reduce(x)
  if leaders then
    leaders:all_reduce(x)
  end
  stream:sync()
end
