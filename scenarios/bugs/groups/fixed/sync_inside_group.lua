scenario {
  about   = "the mended sync_inside_group: synchronised after the end of the group",
  params  = { dtype = "int32" },
  matrix  = { ranks = { 2, 4 }, dtype = { "int32", "float16" } },
}

local x = cuda.buffer(param.dtype, 16):fill(1)
nccl.group(function()
  world:all_reduce(x)
end)
stream:sync()
expect.equal(x, nranks)
