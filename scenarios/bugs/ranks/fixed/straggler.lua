scenario {
  about  = "the mended straggler: the slow part is done before the others have anything to wait for",
  needs  = { driver = "sim" },
  params = { at = "call" },
  matrix = { ranks = { 2, 4 }, at = { "init", "call" } },
  world  = false,
}

if rank == 0 then
  sleep(3600)
  store:set("id", nccl.unique_id())
end
local team = nccl.init_rank(nranks, store:get("id"), rank)
local x = cuda.buffer("float32", 16):fill(1)
team:all_reduce(x)
stream:sync()
expect.equal(x, nranks)
