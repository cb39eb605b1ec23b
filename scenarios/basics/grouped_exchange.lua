scenario {
  ranks = 4,
  about = "all-to-all, and any other exchange, out of grouped sends and receives",
}

local n    = 4
local send = cuda.buffer("int32", nranks * n):fill(function(i) return 10 * rank + (i - 1) // n end)
local recv = cuda.buffer("int32", nranks * n)

-- Within a group the order of calls with different peers does not matter; a rank may even send to
-- itself, if it receives from itself in the same group.
nccl.group(function()
  for peer = 0, nranks - 1 do
    world:send(send:part(peer), peer)
    world:recv(recv:part(peer), peer)
  end
end)
stream:sync()
expect.equal(recv, function(i) return 10 * ((i - 1) // n) + rank end)
