-- Nothing is left out: one exchanges first, the other reduces first, in groups.
scenario { ranks = 2, outcome = { hang = { culprit = { 0, 1 }, why = "p2p-cycle" } } }

local x, y = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16)
local sum, max = cuda.buffer("float32", 16):fill(1), cuda.buffer("float32", 16):fill(1)
local function exchange()
  nccl.group(function()
    world:send(x, 1 - rank)
    world:recv(y, 1 - rank)
  end)
  stream:sync()
end
local function reduce()
  nccl.group(function()
    world:all_reduce(sum)
    world:all_reduce(max, { op = "max" })
  end)
  stream:sync()
end
if rank == 0 then exchange() end
reduce()
if rank == 1 then exchange() end
