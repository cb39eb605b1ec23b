scenario { ranks = 2 }
local part = world:split{ color = 0 }
local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8):fill(1)
for _, comm in ipairs{ world, part } do comm:all_reduce(x) end
stream:sync()
nccl.group(function()
  world:all_reduce(x, y)
  part:all_reduce(y, x) -- which of the two goes first is NCCL's to say
end)
stream:sync()
