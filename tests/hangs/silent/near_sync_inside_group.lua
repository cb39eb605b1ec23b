-- Like cases/sync_inside_group.lua, but what the wait in the group is for came before the group, and
-- what the group makes is read after another wait.
scenario { ranks = 2 }

local x, y = cuda.buffer("int32", 16):fill(1), cuda.buffer("int32", 16)
world:all_reduce(x)
nccl.group(function()
  world:all_reduce(x, y)
  stream:sync()
  expect.equal(x, 2)
end)
stream:sync()
expect.equal(y, 4)
