scenario {
  about   = "the mended dtype_as_bytes: every rank passes the type of the numbers",
  params  = { odd = 1, call = "broadcast" },
  matrix  = { ranks = { 3, 8 }, odd = { 0, 2 }, call = { "broadcast", "all_gather", "all_to_all" } },
}

local n, dtype, width = 16, "float32", 1
local whole = cuda.buffer(dtype, width * n * nranks):fill(rank)
local part = whole:slice(width * n * rank + 1, width * n)
if param.call == "broadcast" then
  world:broadcast(whole, { root = 0 })
elseif param.call == "all_gather" then
  world:all_gather(part, whole)
else
  world:all_to_all(whole, cuda.buffer(dtype, width * n * nranks))
end
stream:sync()
