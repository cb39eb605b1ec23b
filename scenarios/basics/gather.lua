scenario {
  ranks = 4, needs = { nccl = "2.28.3" },
  about = "gather: every rank's elements at the root, in order of rank; in place there too",
}

local n    = 4
local root = nranks - 1
local part = cuda.buffer("float32", n):fill(rank)
local all  = rank == root and cuda.buffer("float32", nranks * n) or nil -- nobody else needs one

world:gather(part, all, { root = root })
stream:sync()
if all then
  expect.equal(all, function(i) return (i - 1) // n end)
end

-- In place: the root's own elements are where they will end up.
if all then
  all:fill(-1)
  all:part(root):fill(rank)
  part = all:part(root)
end
world:gather(part, all, { root = root })
stream:sync()
if all then
  expect.equal(all, function(i) return (i - 1) // n end)
end
