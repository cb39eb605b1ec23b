scenario {
  ranks = 2,
  about = "two threads, two communicators, started in opposite order, on two streams",
}

local function start(name)
  if rank == 0 then
    store:set(name, nccl.unique_id())
  end
  return nccl.init_rank(nranks, store:get(name), rank, { name = name })
end

local comms = { start("a"), start("b") }
if rank == 1 then
  comms = { comms[2], comms[1] }
end
local threads = {}
for i, comm in ipairs(comms) do
  threads[i] = spawn(function()
    local s, x = cuda.stream(), cuda.buffer("int32", 8):fill(1)
    comm:all_reduce(x, { stream = s })
    s:sync()
    return x[8]
  end)
end
for _, thread in ipairs(threads) do
  expect.equal(thread:join(), 2)
end
