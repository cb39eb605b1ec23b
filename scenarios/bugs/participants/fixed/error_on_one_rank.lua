scenario {
  about   = "the mended error_on_one_rank: who fails tells the others, and all abort",
  params  = { odd = 2, nth = 2 },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, nth = { 2, 3 } },
}

local x, all = cuda.buffer("int32", 4):fill(rank), cuda.buffer("int32", 4 * nranks)
fault.fail { rank = param.odd, func = "ncclAllGather", nth = param.nth, code = "ncclSystemError" }
for step = 1, 3 do
  local ok = pcall(world.all_gather, world, x, all)
  store:set(step .. " on " .. rank, ok)
  for r = 0, nranks - 1 do
    ok = ok and store:get(step .. " on " .. r)
  end
  if not ok then
    world:abort()
    return
  end
end
