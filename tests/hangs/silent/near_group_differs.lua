scenario {
  about = "ranks group differently what they may: single calls, messages of one direction, empty calls, a composed call",
  ranks = 4,
}

local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64)
local room = cuda.buffer("float32", 64 * nranks)
local none = cuda.buffer("float32", 0)
local all, parts = cuda.buffer("float32", 4 * nranks):fill(1), cuda.buffer("float32", 4 * nranks)

-- a group of one call, and of one call beside an empty one, which NCCL drops
nccl.group(function()
  if rank == 1 then world:all_reduce(none) end
  world:all_reduce(x)
end)
world:all_reduce(x)

-- a root that sends to each of the others, which receive alone; and the way back
if rank == 0 then
  nccl.group(function() for r = 1, nranks - 1 do world:send(x, r) end end)
  nccl.group(function() for r = 1, nranks - 1 do world:recv(room:slice(r * 64 + 1, 64), r) end end)
else
  world:recv(y, 0)
  world:send(x, 0)
end

-- a ring in which each rank has other peers for its send and its receive
nccl.group(function()
  world:send(x, (rank + 1) % nranks)
  world:recv(y, (rank - 1) % nranks)
end)

-- a collective, and a message behind it
if rank == 0 then
  nccl.group(function()
    world:all_reduce(x)
    world:send(x, 1)
  end)
else
  world:all_reduce(x)
  if rank == 1 then world:recv(y, 0) end
end

-- an all-to-all is made of messages, which follow the collectives of a group as they do here
if rank == 2 then
  nccl.group(function()
    world:all_reduce(x)
    world:all_to_all(all, parts)
  end)
else
  world:all_reduce(x)
  world:all_to_all(all, parts)
end
stream:sync()
