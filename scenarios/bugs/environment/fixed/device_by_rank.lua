scenario {
  about   = "the mended device_by_rank: each rank counts the ranks of its own host",
  needs   = { driver = "sim" },
  matrix  = { ranks = { 16, 22 } },
  devices = { 8, 7 },
  world   = false,
  outcome = { pass = true, findings = 0 },
}

local place = cuda.device() -- the launcher's number on the host
expect.that(place < cuda.device_count(), "a device that the host has")
cuda.set_device(place)
if rank == 0 then store:set("id", nccl.unique_id()) end
local comm = nccl.init_rank(nranks, store:get("id"), rank)
local x = cuda.buffer("float32", 8):fill(1)
comm:all_reduce(x)
stream:sync()
