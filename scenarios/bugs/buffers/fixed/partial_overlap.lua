scenario {
  about  = "the mended partial_overlap: the buffers are apart, or the call is in place",
  params = { call = "all_reduce" },
  matrix = { ranks = { 2, 4 }, call = { "all_reduce", "all_gather" } },
}

local n = 8
local room = cuda.buffer("int32", (nranks + 1) * n):fill(1)
if param.call == "all_reduce" then
  world:all_reduce(room:slice(1, n), room:slice(n + 1, n))
else
  world:all_gather(room:slice(rank * n + 1, n), room:slice(1, nranks * n))
end
stream:sync()
expect.equal(room:slice(n + 1, n), param.call == "all_reduce" and nranks or 1)
