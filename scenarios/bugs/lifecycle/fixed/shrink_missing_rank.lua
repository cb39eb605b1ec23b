scenario {
  about  = "the mended shrink_missing_rank: all ranks that stay hear of it, and shrink",
  matrix = { ranks = { 4, 8 } },
}

local x = cuda.buffer("float32", 8):fill(1)
world:all_reduce(x)
stream:sync()

if rank == 0 then
  store:set("out", nranks - 1)
end
local out = store:get("out")
if rank ~= out then
  local rest = world:shrink { out }
  expect.equal(rest.nranks, nranks - 1)
end
