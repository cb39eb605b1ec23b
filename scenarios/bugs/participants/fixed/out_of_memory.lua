scenario {
  about   = "the mended out_of_memory: who fails aborts, and the others learn of it",
  params  = { odd = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x = cuda.buffer("float32", 16):fill(1)
world:all_reduce(x)

local ok, y = pcall(cuda.buffer, "float32", rank == param.odd and 2^42 or 16)
store:set("memory " .. rank, ok)
for r = 0, nranks - 1 do
  ok = ok and store:get("memory " .. r) -- not by NCCL: it needs all ranks
end
stream:sync()
if not ok then
  world:abort()
  return
end
world:all_reduce(y:fill(1))
stream:sync()
