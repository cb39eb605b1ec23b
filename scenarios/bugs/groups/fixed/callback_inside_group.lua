scenario {
  about   = "the mended callback_inside_group: copy and callback after the end of the group",
  matrix  = { ranks = { 2, 4, 8 } },
}

local x, seen = cuda.buffer("int32", 1, { memory = "pinned" }):fill(1), nil
local y = cuda.buffer("int32", 1):fill(1)
nccl.group(function()
  world:all_reduce(y)
end)
x:copy_from(y, { stream = stream })
stream:callback(function() seen = true end)
stream:sync()
expect.equal(x, nranks)
expect.that(seen)
