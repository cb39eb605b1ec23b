-- Settings of one rank act on that rank alone: NCCL's checks, the host that it names, and the functions of its version.
scenario {
  ranks = 4,
  devices = { 1, 2 },
  env = { [1] = { NCCL_HOSTID = "here" }, [3] = { NCCL_HOSTID = "here", NCCL_CHECK_POINTERS = "1" } },
  sim = { nccl = { others = "2.30.7", [0] = "2.28.9" } },
  world = false,
}
assert(nccl.version() == (rank == 0 and 22809 or 23007))
assert(cuda.device_count() == (rank == 0 and 1 or 2))
assert(cuda.device() == (rank == 2 and 1 or 0))
local ok = pcall(nccl.param, "NCCL_HOSTID")
assert(ok == (rank ~= 0), "2.28.9 has no ncclParamGetParameter")
if rank == 0 then return end
if rank == 2 then store:set("id", nccl.unique_id()) end

-- Ranks 1 and 3 are on hosts of their own, with device 0 each, but name one host: NCCL takes it for one GPU.
local place = rank - 1
local comm, err = nil, nil
local fine, why = pcall(function() comm = nccl.init_rank(3, store:get("id"), place) end)
assert(not fine and tostring(why):find("ncclInvalidUsage"), tostring(why))
