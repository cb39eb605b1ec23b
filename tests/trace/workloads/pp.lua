-- A pipeline: activations go forwards, gradients backwards, the first and the last stage share an embedding.
scenario {
    ranks   = 4,
    params  = { bug = "send", odd = 1, sync = true },
    matrix  = { bug = { "send", "recv", "send_back", "peer", "size", "extra", "skip_world" }, odd = { 1, 2 }, sync = { true, false } },
    outcome = { hang = true },
}

local tied = world:split { color = (rank == 0 or rank == nranks - 1) and 0 or nccl.NOCOLOR }
local act, grad, norm = cuda.buffer("float32", 64), cuda.buffer("float32", 64), cuda.buffer("float32", 1)
local short = cuda.buffer("float32", 32)
local first, last = rank == 0, rank == nranks - 1
local odd = rank == param.odd

for step = 1, 3 do
    local now = odd and step == 2 and param.bug
    for micro = 1, 2 do
        local this = micro == 2 and now
        if not first and this ~= "recv" then
            world:recv(act, rank - 1)
        end
        if not last and this ~= "send" then
            world:send(this == "size" and short or act, this == "peer" and (rank + 2) % nranks or rank + 1)
        end
    end
    for micro = 1, 2 do
        local this = micro == 2 and now
        if not last then
            world:recv(grad, rank + 1)
        end
        if not first and this ~= "send_back" then
            world:send(grad, rank - 1)
        end
        if this == "extra" then
            world:send(grad, rank - 1)
        end
    end
    if tied then
        tied:all_reduce(act)
    end
    if now ~= "skip_world" then
        world:all_reduce(norm)
    end
    if param.sync then
        stream:sync()
    end
end
stream:sync()
