scenario {
  ranks = 4,
  about = "the mended missing_group_end: nccl.group ends the group on every path",
}

local x = cuda.buffer("float32", 16):fill(1)

local function reduce(y)
  nccl.group(function()
    world:all_reduce(y)
    if rank == 1 then
      return
    end
  end)
end

reduce(x)
stream:sync()
expect.equal(x, nranks)
