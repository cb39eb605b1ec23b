scenario { ranks = 3, about = "two communicators in one order for each two ranks that share both, in a group too" }

local function start(name, members)
  if rank == members[1] then
    store:set(name, nccl.unique_id())
  end
  for i, member in ipairs(members) do
    if member == rank then
      return nccl.init_rank(#members, store:get(name), i - 1, { name = name })
    end
  end
end

local x = cuda.buffer("float32", 8):fill(1)
local a, b, c = start("a", { 0, 1 }), start("b", { 1, 2 }), start("c", { 0, 2 })
local order = { { c, a }, { a, b }, { c, b } }
for _ = 1, 3 do
  for _, comm in ipairs(order[rank + 1]) do
    comm:all_reduce(x)
    stream:sync()
  end
end
local d, y = start("d", { 0, 1, 2 }), cuda.buffer("float32", 8):fill(1)
nccl.group(function()
  world:all_reduce(x)
  d:all_reduce(y)
end)
stream:sync()
