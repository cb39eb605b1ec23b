scenario {
  ranks   = 2,
  about   = "to synchronise inside a group waits for nothing: the call is not on the stream yet",
  outcome = { wrong = true, finding = "sync-inside-group" },
}

local x = cuda.buffer("int32", 16):fill(1)
nccl.group(function()
  world:all_reduce(x)
  stream:sync()
  expect.equal(x, nranks) -- still 1
end)
stream:sync()
expect.equal(x, nranks)   -- here it is
