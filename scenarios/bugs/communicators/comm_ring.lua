scenario {
  about   = "neighbours share a communicator, and every rank begins with that to its right: a ring of waits",
  params  = { warm = false },
  matrix  = { ranks = { 3, 4, 8 }, warm = { false, true } },
  bug     = { entry = "F1", thread = "NVIDIA/nccl#592",
              nccl = "hangs, although no two ranks use the same two communicators" },
  outcome = function(run)
    local all = {}
    for r = 0, run.nranks - 1 do all[r + 1] = r end
    return { hang = { why = "comm-order", culprit = all, waiting = "all", comm = "pair0",
                      call = run.param.warm and 2 or 1 }, findings = 1 }
  end,
}

-- Communicator i is of ranks i and i + 1; the last closes the ring. Who is in it has color 0.
local left, right
for i = 0, nranks - 1 do
  local mine = rank == i or rank == (i + 1) % nranks
  local pair = world:split { color = mine and 0 or nccl.NOCOLOR, name = "pair" .. i }
  if rank == i then right = pair elseif mine then left = pair end
end
local x = cuda.buffer("float32", 64):fill(1)

if param.warm then -- by rising number on every rank
  for _, pair in ipairs(rank == 0 and { right, left } or { left, right }) do pair:all_reduce(x) end
end

right:all_reduce(x) -- each waits for its right neighbour, which is at its own right one
left:all_reduce(x)
stream:sync()
