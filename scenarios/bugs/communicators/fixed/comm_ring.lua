scenario {
  about  = "the mended comm_ring: every rank takes the communicators by rising number",
  params = { warm = false },
  matrix = { ranks = { 3, 4, 8 }, warm = { false, true } },
}

local left, right
for i = 0, nranks - 1 do
  local mine = rank == i or rank == (i + 1) % nranks
  local pair = world:split { color = mine and 0 or nccl.NOCOLOR, name = "pair" .. i }
  if rank == i then right = pair elseif mine then left = pair end
end
local x = cuda.buffer("float32", 64):fill(1)

local order = { left, right }
if rank == 0 then -- the ring closes here: its left one has the highest number
  order = { right, left }
end
for _ = 1, param.warm and 2 or 1 do
  for _, pair in ipairs(order) do pair:all_reduce(x, { op = "max" }) end
end
stream:sync()
expect.equal(x, 1)
