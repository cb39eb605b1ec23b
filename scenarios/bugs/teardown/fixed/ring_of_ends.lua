scenario {
  about  = "the mended ring_of_ends: every rank destroys in the order of the communicators' numbers",
  matrix = { ranks = { 3, 4, 8 } },
}

local left, right -- communicator i is of ranks i and i + 1; the last closes the ring
for i = 0, nranks - 1 do
  local mine = rank == i or rank == (i + 1) % nranks
  local pair = world:split { color = mine and 0 or nccl.NOCOLOR, name = "pair" .. i }
  if rank == i then right = pair elseif mine then left = pair end
end
local x = cuda.buffer("float32", 16):fill(1)
local ordered = rank == 0 and { right, left } or { left, right }
for _, pair in ipairs(ordered) do
  pair:all_reduce(x)
end
stream:sync()
for _, pair in ipairs(ordered) do
  pair:destroy()
end
