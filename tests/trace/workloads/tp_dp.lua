-- Tensor parallelism within pairs, data parallelism across them, and the norm of the gradients over all.
scenario {
    ranks   = 8,
    params  = { bug = "skip_tp", odd = 5, sync = true },
    matrix  = { bug = { "skip_tp", "skip_dp", "skip_world", "extra_tp", "extra_world", "size_tp", "size_dp", "group", "order", "batch" },
                odd = { 2, 5 }, sync = { true, false } },
    outcome = { hang = true },
}

local tp = world:split { color = rank // 2 }
local dp = world:split { color = rank % 2 }
local act, grad, norm = cuda.buffer("float32", 256), cuda.buffer("float32", 512), cuda.buffer("float32", 1)
local less = cuda.buffer("float32", 128)
local odd = rank == param.odd
local steps = odd and param.bug == "batch" and 2 or 3

for step = 1, steps do
    local now = odd and step == 2 and param.bug
    for layer = 1, 2 do
        if not (now == "skip_tp" and layer == 1) then
            (now == "group" and layer == 2 and dp or tp):all_reduce(now == "size_tp" and less or act)
        end
        tp:all_gather(less, act)
    end
    if now == "extra_tp" then
        tp:all_reduce(less)
    end
    if now == "order" then
        world:all_reduce(norm)
        dp:all_reduce(grad)
    else
        if now ~= "skip_dp" then
            dp:all_reduce(now == "size_dp" and less or grad)
        end
        if now ~= "skip_world" then
            world:all_reduce(norm)
        end
    end
    if now == "extra_world" then
        world:all_reduce(norm)
    end
    if param.sync then
        stream:sync()
    end
end
world:broadcast(norm, { root = 0 })
stream:sync()
