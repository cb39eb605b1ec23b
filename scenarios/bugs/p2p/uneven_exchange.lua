scenario {
  about   = "all to all by sends and receives, and one rank counts on more from another than it has",
  bug     = { entry = "D2", thread = { "NVIDIA/nccl#1593", "NVIDIA/nccl#695" },
              nccl = "the one receive waits for ever, and the whole group of its rank with it" },
  params  = { from = 0, to = 1 },
  matrix  = { ranks = { 3, 4, 8 }, from = { 0, 2 }, to = { 1 } },
  outcome = function(run)
    return { hang = { culprit = { run.param.from, run.param.to }, waiting = run.param.to,
                      why = "p2p-count-mismatch" }, findings = 1 }
  end,
}

local function tokens(src, dst) -- each rank reckons for itself who has how many for whom
  return 1 + (src * 3 + dst) % 4 + (rank == param.to and src == param.from and dst == rank and 8 or 0)
end

local x, y = cuda.buffer("float16", 64):fill(1), cuda.buffer("float16", 16 * nranks)
nccl.group(function()
  for r = 0, nranks - 1 do
    world:send(x, r, { count = tokens(rank, r) })
    world:recv(y:slice(16 * r + 1), r, { count = tokens(r, rank) })
  end
end)
stream:sync()
