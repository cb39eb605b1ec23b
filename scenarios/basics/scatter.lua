scenario {
  ranks = 4,
  needs = { nccl = "2.28.3" },
  about = "scatter: block r of the root's elements goes to rank r",
}

local n    = 4
local root = 1
local part = cuda.buffer("int64", n)
local all  = nil -- off the root it is not looked at
if rank == root then
  all = cuda.buffer("int64", nranks * n):fill(function(i) return 100 + i end)
end

world:scatter(all, part, { root = root })
stream:sync()
expect.equal(part, function(i) return 100 + rank * n + i end)
