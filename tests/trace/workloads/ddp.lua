-- Data-parallel training: buckets of gradients, a metric, and an evaluation after each step.
scenario {
    ranks   = 4,
    params  = { bug = "skip", odd = 2, sync = true },
    matrix  = { bug = { "skip", "skip_metric", "extra", "extra_metric", "size", "kind", "batch" }, odd = { 1, 3 }, sync = { true, false } },
    outcome = { hang = true },
}

local grads = { cuda.buffer("float32", 64), cuda.buffer("float32", 128), cuda.buffer("float32", 32) }
local metric, shard = cuda.buffer("float32", 1), cuda.buffer("float32", 32 * nranks)
local small = cuda.buffer("float32", 96)
local odd = rank == param.odd
local steps = odd and param.bug == "batch" and 2 or 3

for step = 1, steps do
    local now = odd and step == 2 and param.bug
    for i, grad in ipairs(grads) do
        if now == "size" and i == 2 then grad = small end
        if now == "kind" and i == 3 then
            world:all_gather(grad, shard)
        elseif not (now == "skip" and i == 2) then
            world:all_reduce(grad)
        end
    end
    if now == "extra" then
        world:all_reduce(small)
    end
    if now ~= "skip_metric" then
        world:all_reduce(metric)
    end
    if now == "extra_metric" then
        world:all_reduce(metric)
    end
    if param.sync then
        stream:sync()
    end
end
world:broadcast(small, { root = 0 })
stream:sync()
