-- Experts: tokens are dispatched and combined within groups of experts, the rest is data-parallel.
scenario {
    ranks   = 8,
    params  = { bug = "skip_combine", odd = 3, sync = true },
    matrix  = { bug = { "skip_combine", "extra_dispatch", "size", "group", "skip_dp", "order", "batch", "barrier" },
                odd = { 3, 4 }, sync = { true, false } },
    outcome = { hang = true },
}

local ep = world:split { color = rank // 4 }
local dp = world:split { color = rank % 4 }
local tokens, back, grad = cuda.buffer("float32", 64), cuda.buffer("float32", 64), cuda.buffer("float32", 512)
local few, flag = cuda.buffer("float32", 32), cuda.buffer("float32", 1)
local odd = rank == param.odd
local steps = odd and param.bug == "batch" and 2 or 3

for step = 1, steps do
    local now = odd and step == 2 and param.bug
    for layer = 1, 2 do
        local here = layer == 2 and now
        ep:all_to_all(tokens, back)
        if here == "extra_dispatch" then
            ep:all_to_all(tokens, back)
        end
        if here ~= "skip_combine" then
            ep:all_to_all(back, tokens)
        end
        (here == "group" and dp or ep):all_reduce(flag)
    end
    if now == "order" then
        world:all_reduce(flag)
        dp:all_reduce(grad)
    else
        if now ~= "skip_dp" then
            dp:all_reduce(now == "size" and few or grad)
        end
        world:all_reduce(flag)
    end
    if now == "barrier" then
        world:all_reduce(flag)
    end
    if param.sync then
        stream:sync()
    end
end
world:broadcast(flag, { root = 0 })
stream:sync()
