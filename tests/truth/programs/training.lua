-- Training programs as people write them: a pattern of communication in a loop of steps, and around it what
-- programs have besides: parameters from rank 0, logs, checkpoints, evaluation, a flag to stop early.
local tree, draw, patterns = require "tree", require "draw", require "patterns"

local loop, when, only, sync = tree.loop, tree.when, tree.only, tree.sync
local on, append, size = patterns.on, patterns.append, patterns.size

-- ---- groups ----

local function whole(p) return { name = "world", size = p.n } end

-- A group of this size: whoever is next to each other, or as far apart as the number of groups.
local function split(p, name, width, apart)
    if width == p.n then return whole(p) end
    local parts = p.n // width
    return { name = p:split(name, apart and ("me %% %d"):format(parts) or ("me // %d"):format(width)), size = width }
end

local function divisor(n, least, most)
    local list = {}
    for d = least, math.min(n, most) do
        if n % d == 0 then list[#list + 1] = d end
    end
    return draw.pick(list)
end

local function one(p) return { name = "world", size = 1 } end

-- Groups of this width within, and across them.
local function two_ways(p, inner, outer, width)
    local g = { world = whole(p) }
    g[inner] = split(p, inner, width)
    g[outer] = width < p.n and split(p, outer, p.n // width, true) or one(p)
    return g
end

local groups = {}

function groups.ddp(p) return { world = whole(p), dp = whole(p) } end
groups.accumulation, groups.zero = groups.ddp, groups.ddp

function groups.tensor(p) return two_ways(p, "tp", "dp", divisor(p.n, 2, 8)) end
function groups.serving(p) return two_ways(p, "tp", "dp", draw.chance(2) and p.n or divisor(p.n, 2, 8)) end

function groups.fsdp(p)
    if draw.chance(2) then return { world = whole(p), shard = whole(p), replica = one(p) } end
    return two_ways(p, "shard", "replica", divisor(p.n, 2, 8))
end

function groups.ring(p)
    local width = divisor(p.n, 3, p.n)
    p:new_local("place", ("me %% %d"):format(width))
    return two_ways(p, "cp", "dp", width)
end

function groups.experts(p)
    local width = divisor(p.n, 2, 8)
    p:new_local("expert", ("me %% %d"):format(width))
    return { world = whole(p), ep = split(p, "ep", width) }
end

function groups.pipeline(p)
    local stages = divisor(p.n, 2, 8)
    local dp = p.n // stages
    p:new_local("stage", ("me // %d"):format(dp))
    local g = { world = whole(p), pp = split(p, "pp", stages, true) }
    g.dp = dp > 1 and split(p, "dp", dp) or one(p)
    return g
end

-- As Megatron numbers ranks: those of a tensor group are next to each other, stages are farthest apart.
function groups.grid(p)
    local tp = divisor(p.n, 2, 8)
    local dp = p.n // tp > 1 and draw.chance(2) and divisor(p.n // tp, 1, 4) or 1
    local stages = p.n // tp // dp
    p:new_local("stage", ("me // %d"):format(tp * dp))
    local g = { world = whole(p) }
    local parent = "world"
    if stages > 1 and draw.chance(2) then parent = p:split("replica", "stage") end
    g.tp = tp == p.n and whole(p) or { name = p:split("tp", ("me // %d"):format(tp), parent), size = tp }
    g.dp = dp == 1 and one(p) or { name = p:split("dp", ("stage * %d + me %% %d"):format(tp, tp), parent), size = dp }
    g.pp = stages == 1 and one(p) or { name = p:split("pp", ("me %% %d"):format(tp * dp)), size = stages }
    return g
end

function groups.actors(p)
    local learners = math.max(2, p.n // 4)
    p:split("learners", ("me < %d and 0 or -1"):format(learners))
    return { world = whole(p), learners = { name = "learners", size = learners } }
end

-- ---- what programs have besides ----

local function several_hosts(p) return p.processes == p.n and not p.second end

local function parameters(p, g)
    local c = g.dp and g.dp.size > 1 and g.dp or g.world
    if draw.chance(2) then
        return { loop("layer", 2 + draw.below(3), {
            on(c, "broadcast", "parameters", p:new_buffer("float32", size(), "parameters"), { root = 0 }) }) }
    end
    local body = {}
    for i = 1, 1 + draw.below(3) do
        body[i] = on(c, "broadcast", "parameters", p:new_buffer("float32", size(), "layer" .. i), { root = 0 })
    end
    return body
end

-- A barrier as PyTorch has it: one element of all.
local function device_barrier(p, g)
    return { on(g.world, "all_reduce", "barrier", p:new_buffer("float32", 1, "arrived")), sync() }
end

local function host_barrier(p)
    if not several_hosts(p) then return {} end
    return { tree.barrier() }
end

local function log(p, g, every)
    local c = draw.chance(3) and g.dp and g.dp.size > 1 and g.dp or g.world
    local body = { on(c, draw.chance(2) and "all_reduce" or "reduce", "log", p:new_buffer("float32", 1, "loss")) }
    if body[1].op == "reduce" then body[1].root = "0" end
    return { when(("step %% %d == 0"):format(every), body) }
end

-- All wait until rank 0 has written the file; or states are gathered there.
local function checkpoint(p, g, key)
    local body = {}
    if several_hosts(p) and draw.chance(2) then
        key = ('"%s" .. step'):format(key)
        append(body, { sync(), only("me == 0", { tree.set(key) }, { tree.get(key) }) })
    elseif draw.chance(2) then
        local k = size()
        append(body, { on(g.world, "gather", "checkpoint", p:new_buffer("float32", k, "state"),
                          { y = p:new_buffer("float32", k * p.n, "states"), root = 0 }) })
    else
        append(body, device_barrier(p, g))
    end
    if draw.chance(3) then append(body, host_barrier(p)) end
    return { when(("step %% %d == 0"):format(2), body) }
end

local function evaluate(p, g)
    local metric = on(g.world, "all_reduce", "evaluation", p:new_buffer("float32", 4, "metric"))
    return draw.chance(2) and { metric } or { loop("batch", 2 + draw.below(2), { metric }), sync() }
end

local function stop_flag(p, g)
    return { on(g.world, "broadcast", "stop", p:new_buffer("int32", 1, "stop"), { root = 0 }), sync() }
end

-- The last batch has fewer samples, on all ranks alike.
local function partial_batch(p, g, steps)
    local x = p:new_buffer("float32", 128, "outputs")
    return { on(g.world, "all_reduce", "batch", x, { count = ("step == %d and 96 or 128"):format(steps) }) }
end

-- A second thread of each rank has a communicator and a stream of its own.
local function second_thread(p)
    local side = p:new_stream()
    local c = { name = p:split("loader", "0"), size = p.n }
    local x = p:new_buffer("float32", size(), "batches")
    local body = { on(c, draw.pick { "broadcast", "all_reduce", "broadcast" }, "loader", x, { stream = side }) }
    if body[1].op == "broadcast" then body[1].root = "0" end
    if draw.chance(3) then
        append(body, { on(c, "all_reduce", "loader", p:new_buffer("float32", 1, "lengths"), { stream = side }) })
    end
    if draw.chance(2) then append(body, { sync(side) }) end
    p.bodies[2] = { loop("batch", 2 + draw.below(3), body), sync(side) }
end

-- ---- programs ----

local training = {}

training.shapes = { "process", "process", "ids", "thread", "thread", "workers", "single", "single", "hosts",
                    "threads", "threads" }

local ranks = { 4, 4, 4, 6, 8, 8, 8, 8, 8, 12, 16, 16, 16, 32, 64 }
local names = { "ddp", "ddp", "accumulation", "tensor", "tensor", "pipeline", "pipeline", "fsdp", "fsdp", "zero",
                "experts", "ring", "grid", "grid", "serving", "actors" }

local function sometimes(one_in, list) return draw.chance(one_in) and list or {} end

function training.draw(shape, n)
    local p = tree.program(n or draw.pick(ranks), shape or draw.pick(training.shapes))
    p.workload = draw.pick(names)
    local g, main, steps = groups[p.workload](p), p.bodies[1], 2 + draw.below(4)
    if not draw.chance(3) then append(main, parameters(p, g)) end
    append(main, sometimes(3, device_barrier(p, g)))
    append(main, sometimes(3, host_barrier(p)))
    local body = patterns[p.workload](p, g)
    append(body, sometimes(4, partial_batch(p, g, steps)))
    append(body, sometimes(2, log(p, g, 1 + draw.below(3))))
    if not draw.chance(3) then append(body, { sync() }) end
    append(body, sometimes(4, checkpoint(p, g, "saved")))
    append(body, sometimes(4, stop_flag(p, g)))
    local train = loop("step", steps, body)
    if draw.chance(3) then
        train = loop("epoch", 2, append({ train }, evaluate(p, g)))
    else
        append(main, { train })
        train = nil
    end
    append(main, train and { train } or sometimes(2, evaluate(p, g)))
    append(main, sometimes(3, device_barrier(p, g)))
    append(main, sometimes(4, host_barrier(p)))
    append(main, { sync() })
    if p.second then second_thread(p) end
    return p
end

return training
