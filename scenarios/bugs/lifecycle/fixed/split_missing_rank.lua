scenario {
  about  = "the mended split_missing_rank: who wants no part in the split calls it, with NOCOLOR",
  params = { culprit = 0 },
  matrix = { ranks = { 3, 4, 8 }, culprit = { 0, 2 } },
}

local team = world:split { color = rank == param.culprit and nccl.NOCOLOR or 0 }
if rank ~= param.culprit then
  expect.equal(team.nranks, nranks - 1)
end
