scenario {
  about   = "the mended root_mismatch: the root comes from one place",
  params  = { odd = 3, call = "broadcast" },
  matrix  = { ranks = { 3, 4, 8 }, odd = { 0, 2 }, call = { "broadcast", "reduce" } },
}

if rank == param.odd then
  store:set("root", 1)
end
local x = cuda.buffer("float32", 64):fill(rank)
world[param.call](world, x, { root = store:get("root") })
stream:sync()
if rank == 1 then
  expect.equal(x, param.call == "broadcast" and 1 or nranks * (nranks - 1) // 2)
end
