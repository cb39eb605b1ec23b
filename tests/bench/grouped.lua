scenario { ranks = 96, params = { n = 2 }, about = "messages of each rank in one group" }
local send, recv = cuda.buffer("float32", param.n), cuda.buffer("float32", param.n)
nccl.group(function()
    for i = 1, param.n do
        world:send(send:slice(i, 1), (rank + i) % nranks)
        world:recv(recv:slice(i, 1), (rank - i) % nranks)
    end
end)
stream:sync()
