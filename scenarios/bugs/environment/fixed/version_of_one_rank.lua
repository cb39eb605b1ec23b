scenario {
  about   = "the mended version_of_one_rank: all ranks of the communicator have one version; the odd rank stays outside",
  needs   = { driver = "sim" },
  world   = false,
  params  = { odd = 0 },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 } },
  sim     = function(param) return { nccl = { others = "2.30.7", [param.odd] = "2.28.9" } } end,
  outcome = { pass = true, findings = 0 },
}

local _, version = nccl.version()
if rank == param.odd then
  expect.that(version == "2.28.9", "the version of this rank only")
else
  expect.that(version == "2.30.7", "the version of the others")
  local place = rank < param.odd and rank or rank - 1
  if place == 0 then store:set("id", nccl.unique_id()) end
  local comm = nccl.init_rank(nranks - 1, store:get("id"), place)
  local x = cuda.buffer("float32", 8):fill(1)
  comm:all_reduce(x)
  stream:sync()
end
