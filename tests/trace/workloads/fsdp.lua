-- Sharded parameters: gathered for each layer forwards and backwards, gradients scattered, replicas reduced.
scenario {
    ranks   = 8,
    params  = { bug = "skip_gather", odd = 6, sync = true },
    matrix  = { bug = { "skip_gather", "skip_scatter", "skip_replica", "extra_gather", "size", "kind", "batch", "order" },
                odd = { 1, 6 }, sync = { true, false } },
    outcome = { hang = true },
}

local shard = world:split { color = rank // 4 }
local replica = world:split { color = rank % 4 }
local part, full, loss = cuda.buffer("float32", 64), cuda.buffer("float32", 256), cuda.buffer("float32", 1)
local half, halves = cuda.buffer("float32", 32), cuda.buffer("float32", 128)
local odd = rank == param.odd
local steps = odd and param.bug == "batch" and 2 or 3

for step = 1, steps do
    local now = odd and step == 2 and param.bug
    for layer = 1, 2 do
        if not (now == "skip_gather" and layer == 2) then
            shard:all_gather(part, full)
        end
    end
    for layer = 2, 1, -1 do
        if now == "size" and layer == 1 then
            shard:all_gather(half, halves)
        else
            shard:all_gather(part, full)
        end
        if now == "kind" and layer == 1 then
            shard:all_reduce(full)
        elseif not (now == "skip_scatter" and layer == 1) then
            shard:reduce_scatter(full, part)
        end
    end
    if now == "extra_gather" then
        shard:all_gather(half, halves)
    end
    if now == "order" then
        world:all_reduce(loss)
        replica:all_reduce(part)
    else
        if now ~= "skip_replica" then
            replica:all_reduce(part)
        end
        world:all_reduce(loss)
    end
    if param.sync then
        stream:sync()
    end
end
world:broadcast(loss, { root = 0 })
stream:sync()
