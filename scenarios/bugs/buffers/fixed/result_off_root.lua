scenario {
  about  = "the mended result_off_root: the root gives its result to the others before they use it",
  params = { call = "reduce", use = "copy" },
  matrix = { ranks = { 2, 4 }, call = { "reduce", "gather" }, use = { "copy", "send_on", "expect" } },
}

local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8 * nranks):fill(0)
if param.call == "reduce" then
  world:reduce(x, y:slice(1, 8), { root = 0 })
else
  world:gather(x, y, { root = 0 })
end
world:broadcast(y, { root = 0 })

if param.use == "send_on" then
  world:all_reduce(y:slice(1, 8), x)
end
stream:sync()
local host = y:get(1, 8)
expect.equal(y:slice(1, 8), param.call == "reduce" and nranks or 1)
