scenario { ranks = 4, about = "rank 2 wants no part in the split, and says so" }

local team = world:split { color = rank == 2 and nccl.NOCOLOR or 0 }

if rank ~= 2 then
  expect.equal(team.nranks, 3)
end
