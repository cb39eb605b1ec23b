scenario { ranks = 3, params = { shared = false } }
local x = cuda.buffer("float32", 8):fill(rank)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  print(x[1])
  store:set("seen", true)
end
if rank == 2 then
  if param.shared then store:get("seen") end
  x:slice(10)
end
