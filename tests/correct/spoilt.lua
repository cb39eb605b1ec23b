-- One element of a result is spoilt: whatever the movement, the operator, the type, and wherever the element,
-- verification finds that one and no other. Of what has several parts it is in the last one.
local wide = { all_gather = true, gather = true, all_to_all = true }
local function first(p) return p.element + (wide[p.call] and 14 or 0) end

scenario {
    ranks = 3,
    params = { call = "all_reduce sum", dtype = "float32", element = 1, in_place = false },
    matrix = {
        call = { "all_reduce sum", "all_reduce prod", "all_reduce max", "all_reduce min", "all_reduce avg",
                 "all_reduce premulsum", "reduce sum", "reduce min", "reduce premulsum", "reduce_scatter sum",
                 "reduce_scatter prod", "reduce_scatter avg", "broadcast", "all_gather", "all_to_all", "gather",
                 "scatter", "recv", "put_signal" },
        dtype = { "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
                  "bfloat16", "float8e4m3", "float8e5m2" },
        element = { 1, 4, 7 }, -- the first, the middle, the last of seven
        in_place = { false, true },
    },
    outcome = function(run) return { wrong = { rank = 1, first = first(run.param) } } end,
}

local move, op = param.call:match("^(%S+) ?(%S*)$")
local each, root, right = 7, 1, (rank + 1) % nranks
local left = (rank - 1) % nranks

-- In place all is in one buffer of three parts, as far as the movement allows it.
local whole = cuda.buffer(param.dtype, each * nranks, { memory = "nccl" })
whole:fill(function(i) return (rank + i) % 3 end)
local function buffer(parts, own)
    if param.in_place and parts == nranks then return whole end
    if param.in_place then return whole:part(own and rank or 0, nranks) end
    local x = cuda.buffer(param.dtype, each * parts, { memory = "nccl" })
    return x:fill(function(i) return (rank * 2 + i) % 3 end)
end

local factor = op == "premulsum" and world:premulsum(param.dtype, 1 + rank % 2) or nil
local function options(rooted)
    return { op = factor or op ~= "" and op or nil, root = rooted and root or nil, count = each }
end

local window = move == "put_signal" and world:window(whole, { symmetric = true })
if rank == 1 then
    fault.corrupt { rank = 1, first = first(param), count = 1 }
end

if move == "all_reduce" then
    local x = buffer(1)
    world:all_reduce(x, param.in_place and x or buffer(1), options())
elseif move == "reduce" then
    local x = buffer(1)
    world:reduce(x, rank == root and (param.in_place and x or buffer(1)) or nil, options(true))
elseif move == "broadcast" then
    local x = buffer(1)
    world:broadcast(x, param.in_place and x or buffer(1), options(true))
elseif move == "reduce_scatter" then
    world:reduce_scatter(whole, param.in_place and whole:part(rank, nranks) or buffer(1), options())
elseif move == "all_gather" then
    world:all_gather(buffer(1, true), param.in_place and whole or buffer(nranks), options())
elseif move == "all_to_all" then
    world:all_to_all(whole, cuda.buffer(param.dtype, each * nranks), options())
elseif move == "gather" then
    world:gather(buffer(1, true), rank == root and buffer(nranks) or nil, options(true))
elseif move == "scatter" then
    world:scatter(rank == root and whole or nil, buffer(1, true), options(true))
elseif move == "recv" then
    local x, y = whole:part(0, nranks), whole:part(1, nranks)
    nccl.group(function()
        world:send(x, right)
        world:recv(y, left)
    end)
else
    world:put_signal(whole:part(0, nranks), right, window, { first = each + 1 })
    world:wait_signal(left)
end
stream:sync()
if window then window:deregister() end
