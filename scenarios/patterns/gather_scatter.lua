scenario {
  ranks  = 4,
  params = { count = 24, root = 0 },
  about  = "gather and scatter as sends and receives in one group, also to oneself",
}

-- Libraries that are older than ncclGather and ncclScatter, or have to run with an NCCL that is,
-- compose them. The root sends its own part to itself: that works only with the receive in the
-- same group, and makes the root a rank like any other.
local root = param.root % nranks

local function gather(send, recv)
  nccl.group("gather", function()
    world:send(send, root)
    if rank == root then
      for peer = 0, nranks - 1 do
        world:recv(recv:part(peer), peer)
      end
    end
  end)
end

local function scatter(send, recv)
  nccl.group("scatter", function()
    if rank == root then
      for peer = 0, nranks - 1 do
        world:send(send:part(peer), peer)
      end
    end
    world:recv(recv, root)
  end)
end

local n    = param.count
local mine = cuda.buffer("int32", n):fill(function(i) return 1000 * rank + i end)
local all  = rank == root and cuda.buffer("int32", n * nranks) or nil

gather(mine, all)
stream:sync()
if rank == root then
  expect.equal(all, function(i) return 1000 * ((i - 1) // n) + (i - 1) % n + 1 end)
  all:add(all)
end

scatter(all, mine)
stream:sync()
expect.equal(mine, function(i) return 2 * (1000 * rank + i) end)
