scenario {
  about   = "the mended error_path: agree on who failed before going on",
  params  = { odd = 1, warm = 1 },
  matrix  = { ranks = { 2, 4, 8 }, odd = { 0, 1, 3 }, warm = { 0, 1 } },
  exclude = { { ranks = 2, odd = 3 }, { ranks = 8, odd = 1 } },
}

local x  = cuda.buffer("float32", 16):fill(1)
local ok = cuda.buffer("int32", 1)
for _ = 1, param.warm do
  world:all_reduce(x)
end

ok:fill(rank == param.odd and 0 or 1)
world:all_reduce(ok, { op = "min" })
stream:sync()
if ok[1] == 0 then
  return -- all of them
end
world:broadcast(x)
stream:sync()
