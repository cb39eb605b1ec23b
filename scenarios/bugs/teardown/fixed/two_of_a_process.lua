scenario {
  about  = "the mended two_of_a_process: every process destroys both of its ranks, one after the other",
  world  = false,
  params = { culprit = 1 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
  needs  = { gpus = 8 },
}

if rank == 0 then store:set("id", nccl.unique_id()) end
local id, mine = store:get("id"), {}
nccl.group(function()
  for i = 0, 1 do
    cuda.set_device(2 * rank + i)
    mine[i] = nccl.init_rank(2 * nranks, id, 2 * rank + i, { name = "all" })
  end
end)
local x = { [0] = cuda.buffer("float32", 16, { device = 2 * rank }):fill(1),
            [1] = cuda.buffer("float32", 16, { device = 2 * rank + 1 }):fill(1) }
nccl.group(function()
  for i = 0, 1 do mine[i]:all_reduce(x[i]) end
end)
for i = 0, 1 do mine[i].stream:sync() end
mine[0]:destroy()
mine[1]:destroy()
barrier()
