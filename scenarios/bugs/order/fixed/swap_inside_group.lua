scenario {
  about   = "the mended swap_inside_group: one order in the group, too",
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1 } },
}

local a = cuda.buffer("float32", 4096):fill(1)
local b = cuda.buffer("float32", 16):fill(2)

nccl.group(function()
  world:all_reduce(a)
  world:all_reduce(b)
end)
stream:sync()
