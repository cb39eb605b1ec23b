scenario {
  about   = "to synchronise inside a group waits for nothing: the call is not on the stream yet",
  bug     = { entry = "E3",
              nccl = "nothing is launched before the outermost ncclGroupEnd: old data is read, no error" },
  params  = { dtype = "int32" },
  matrix  = { ranks = { 2, 4 }, dtype = { "int32", "float16" } },
  outcome = { wrong = true, finding = { rule = "sync-inside-group", call = 1, comm = "world" },
              findings = 1 },
}

local x = cuda.buffer(param.dtype, 16):fill(1)
nccl.group(function()
  world:all_reduce(x)
  stream:sync()
  expect.equal(x, nranks) -- still 1
end)
stream:sync()
