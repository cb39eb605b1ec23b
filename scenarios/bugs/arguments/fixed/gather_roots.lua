scenario {
  about   = "the mended gather_roots: the same root on every rank",
  params  = { odd = 1, call = "gather" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 1, 2 }, call = { "gather", "scatter" } },
}

local x   = cuda.buffer("float32", 16):fill(rank)
local all = cuda.buffer("float32", 16 * nranks):fill(rank)

local root = param.odd
if param.call == "gather" then
  world:gather(x, all, { root = root })
else
  world:scatter(all, x, { root = root })
end
stream:sync()
expect.equal(param.call == "gather" and rank == root and all:part(0) or x, 
             param.call == "gather" and (rank == root and 0 or rank) or root)
