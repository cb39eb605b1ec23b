scenario {
  about   = "neighbors share communicators, and every rank first destroys the one that it shares with its right neighbor",
  matrix  = { ranks = { 3, 4, 8 } },
  needs   = { driver = "sim" },
  bug     = { entry = "T2", nccl = "every rank waits in its first ncclCommDestroy, although no two share two communicators" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { hang = { why = "destroy-order", culprit = all, waiting = "all" }, findings = 1 }
  end,
}

local left, right -- communicator i is of ranks i and i + 1; the last closes the ring
for i = 0, nranks - 1 do
  local mine = rank == i or rank == (i + 1) % nranks
  local pair = world:split { color = mine and 0 or nccl.NOCOLOR, name = "pair" .. i }
  if rank == i then right = pair elseif mine then left = pair end
end
local x = cuda.buffer("float32", 16):fill(1)
for _, pair in ipairs(rank == 0 and { right, left } or { left, right }) do
  pair:all_reduce(x)
end
stream:sync()
right:destroy()
left:destroy()
