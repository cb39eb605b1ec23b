-- One collective, for its drawing.
scenario {
    ranks = 4,
    params = { what = "all_reduce", dtype = "int32", count = 4, root = 1, op = "sum", start = 1.0, step = 1.0 },
}

local function value(i)
    return param.start + param.step * (10 * rank + i - 1)
end

local function buffer(parts)
    return cuda.buffer(param.dtype, parts * param.count)
end

local root = rank == param.root or nil
local rooted = { root = param.root, op = param.op }
local calls = {
    all_reduce = function() world:all_reduce(buffer(1):fill(value), buffer(1), { op = param.op }) end,
    in_place = function() world:all_reduce(buffer(1):fill(value), { op = param.op }) end,
    reduce = function() world:reduce(buffer(1):fill(value), root and buffer(1), rooted) end,
    reduce_scatter = function() world:reduce_scatter(buffer(nranks):fill(value), buffer(1), { op = param.op }) end,
    all_gather = function() world:all_gather(buffer(1):fill(value), buffer(nranks)) end,
    broadcast = function() world:broadcast(root and buffer(1):fill(value), buffer(1), { root = param.root }) end,
    all_to_all = function() world:all_to_all(buffer(nranks):fill(value), buffer(nranks)) end,
    gather = function() world:gather(buffer(1):fill(value), root and buffer(nranks), { root = param.root }) end,
    scatter = function() world:scatter(root and buffer(nranks):fill(value), buffer(1), { root = param.root }) end,
    ring = function()
        nccl.group(function()
            world:send(buffer(1):fill(value), (rank + 1) % nranks)
            world:recv(buffer(1), (rank + nranks - 1) % nranks)
        end)
    end,
}
calls[param.what]()
stream:sync()
