-- Correct programs as people write them, each a tree drawn at random. What a workload adds to a program is
-- one phase of it; a program is a loop over phases with a beginning and an end.
local tree, draw = require "tree", require "draw"

local call, group, loop, sync = tree.call, tree.group, tree.loop, tree.sync
local only, record, wait, invoke = tree.only, tree.record, tree.wait, tree.invoke

local types = { "float32", "float32", "float32", "float16", "bfloat16", "int32" }
local counts = { 1, 4, 16, 64, 64, 256, 1024 }

local function dtype() return draw.pick(types) end
local function count() return draw.pick(counts) end

-- ---- one call with buffers of its own ----

-- The rank of `me` in a communicator, and its size, as expressions.
local function size_of(c) return c.size end

local function collective(p, c, op, args)
    args = args or {}
    local t, k = args.dtype or dtype(), args.count or count()
    local node = { stream = c.stream or "stream" }
    if op == "all_gather" or op == "gather" then
        node.x, node.y = p:new_buffer(t, k), p:new_buffer(t, k * size_of(c))
    elseif op == "reduce_scatter" or op == "scatter" then
        node.x, node.y = p:new_buffer(t, k * size_of(c)), p:new_buffer(t, k)
    elseif op == "all_to_all" then
        node.x, node.y = p:new_buffer(t, k * size_of(c)), p:new_buffer(t, k * size_of(c))
    else
        node.x = p:new_buffer(t, k)
    end
    if args.root then node.root = tostring(args.root) end
    if args.redop then node.redop = ("%q"):format(args.redop) end
    return call(c.name, op, node)
end

local reductions = { "sum", "sum", "max", "min" }

local function reduction(p, c, op, args)
    args = args or {}
    if draw.chance(3) then args.redop = draw.pick(reductions) end
    return collective(p, c, op, args)
end

local function message(c, op, buffer, peer)
    return call(c.name, op, { x = buffer, peer = peer, stream = c.stream or "stream" })
end

local function any(p, c)
    local what = draw.below(8)
    if what < 3 then return reduction(p, c, "all_reduce") end
    if what == 3 then return collective(p, c, "broadcast", { root = draw.below(c.size) }) end
    if what == 4 then return collective(p, c, "all_gather") end
    if what == 5 then return reduction(p, c, "reduce_scatter") end
    if what == 6 then return reduction(p, c, "reduce", { root = draw.below(c.size) }) end
    return collective(p, c, draw.pick { "all_to_all", "gather", "scatter" })
end

local function add(list, ...)
    for _, node in ipairs { ... } do list[#list + 1] = node end
end

-- ---- phases: fn(p, g) gives statements; g has the groups world, tp, dp and where they differ ----

local phases = {}

function phases.data_parallel(p, g)
    local body = {}
    for _ = 1, 1 + draw.below(4) do
        local buffer = p:new_buffer("float32", count())
        add(body, call(g.dp.name, "all_reduce", { x = buffer, stream = g.dp.stream }))
    end
    if draw.chance(3) then body = { group(body) } end
    return body
end

function phases.bucket_loop(p, g)
    return { loop("bucket", 2 + draw.below(3), { reduction(p, g.dp, "all_reduce", { dtype = "float32" }) }) }
end

function phases.tensor_parallel(p, g)
    local body = { reduction(p, g.tp, "all_reduce") }
    if draw.chance(2) then add(body, collective(p, g.tp, "all_gather")) end
    if draw.chance(2) then add(body, reduction(p, g.tp, "reduce_scatter")) end
    add(body, reduction(p, g.tp, "all_reduce"))
    if draw.chance(3) then
        local name = p:new_function("layer" .. #p.functions + 1, "l", body)
        return { loop("l", 2 + draw.below(2), { invoke(name, "l") }) }
    end
    return draw.chance(2) and { loop("l", 2 + draw.below(2), body) } or body
end

function phases.sharded(p, g)
    local c = g.dp
    local forward = { collective(p, c, "all_gather") }
    local backward = { collective(p, c, "all_gather"), reduction(p, c, "reduce_scatter") }
    local layers = 2 + draw.below(3)
    return { loop("l", layers, forward), loop("l", layers, backward) }
end

function phases.optimizer_shards(p, g)
    local c = g.world
    local t, k = "float32", count()
    local x, y = p:new_buffer(t, k), p:new_buffer(t, k)
    return { loop("owner", c.size <= 8 and c.size or 4, {
                 call(c.name, "reduce", { x = x, root = "owner - 1", stream = c.stream }) }),
             loop("owner", c.size <= 8 and c.size or 4, {
                 call(c.name, "broadcast", { x = y, root = "owner - 1", stream = c.stream }) }) }
end

-- Stages are the ranks of the world; messages are grouped where one thread makes them all.
function phases.pipeline(p, g)
    local c = g.world
    local function way(recv_if, from, send_if, to, k)
        local x = p:new_buffer("float16", k)
        local y = p.joint and p:new_buffer("float16", k) or x
        local body = { only(recv_if, { message(c, "recv", y, from) }), only(send_if, { message(c, "send", x, to) }) }
        return p.joint and { group(body) } or body
    end
    local micro = 1 + draw.below(3)
    local forward = way("me > 0", "me - 1", "me < n - 1", "me + 1", count())
    local backward = way("me < n - 1", "me + 1", "me > 0", "me - 1", count())
    return { loop("mb", micro, forward), loop("mb", micro, backward) }
end

function phases.ring(p, g)
    local c = g.world
    local t, k = dtype(), count()
    local x, y = p:new_buffer(t, k), p:new_buffer(t, k)
    local body = { group { message(c, "send", x, "(me + 1) % n"), message(c, "recv", y, "(me - 1) % n") } }
    return draw.chance(2) and { loop("hop", math.min(p.n - 1, 3), body) } or body
end

function phases.experts(p, g)
    if draw.chance(2) or p.n > 8 then
        return { collective(p, g.dp, "all_to_all"), collective(p, g.dp, "all_to_all") }
    end
    local c, k = g.world, count() * p.n
    local send = message(c, "send", p:new_buffer("float16", k), "to - 1")
    local recv = message(c, "recv", p:new_buffer("float16", k), "to - 1")
    send.part, recv.part = "to - 1", "to - 1"
    return { group { loop("to", p.n, { only("to - 1 ~= me", { send, recv }) }) } }
end

function phases.mixed(p, g)
    local body = {}
    for _ = 1, 1 + draw.below(4) do
        add(body, any(p, g[draw.pick { "world", "tp", "dp" }]))
    end
    return body
end

-- Gradients on a stream of their own beside what else is computed.
function phases.overlap(p, g)
    local side, ready, done = p:new_stream(), p:new_event(), p:new_event()
    local c = { name = g.dp.name, size = g.dp.size, stream = side }
    return { record(ready, "stream"), wait(ready, side), reduction(p, c, "all_reduce"),
             reduction(p, c, "reduce_scatter"), record(done, side), wait(done, "stream") }
end

-- Puts into the next rank's window, and signals without data.
function phases.one_sided(p, g)
    if p.joint or p.spawned then return phases.ring(p, g) end
    p.signals = true
    local to, from = "(me + 1) % n", "(me - 1) % n"
    local put
    if draw.chance(2) then
        put = call("world", "signal", { peer = to, stream = "stream" })
    else
        local k = count()
        local x, w = p:new_window("float32", 2 * k)
        put = call("world", "put_signal", { x = x, part = "0", parts = 2, peer = to, window = w,
                                             first = tostring(k + 1), stream = "stream" })
    end
    return { put, call("world", "wait_signal", { peer = from, stream = "stream" }) }
end

-- A communicator for a while: of a split, of a shrink, one that does not block.
function phases.regroup(p, g)
    if p.second or p.n < 3 then return phases.norm(p, g) end
    local shrunk = draw.chance(3) and not p.joint
    local polled = not shrunk and not p.joint and draw.chance(2)
    local name = p:derived(shrunk and "shrink" or "split", "world", ("me %% %d"):format(p.n % 2 == 0 and 2 or 1), polled)
    local c = { name = name, size = shrunk and p.n - 1 or p.n % 2 == 0 and p.n // 2 or p.n, stream = "stream" }
    local body = { tree.derive(name), reduction(p, c, "all_reduce") }
    if draw.chance(2) then add(body, collective(p, c, "all_gather")) end
    if draw.chance(2) then add(body, sync(), tree.destroy(name)) end
    return { shrunk and only("me < n - 1", body) or tree.scope(body) }
end

function phases.norm(p, g)
    return { reduction(p, g.world, "all_reduce", { count = 1, dtype = "float32" }) }
end

local names = { "data_parallel", "bucket_loop", "tensor_parallel", "sharded", "optimizer_shards", "pipeline",
                "ring", "experts", "mixed", "mixed", "overlap", "norm", "one_sided", "regroup" }

local function hosts(p, keys)
    if p.processes < p.n or p.second or not draw.chance(3) then return {} end
    if draw.chance(2) then return { tree.barrier() } end
    keys.count = (keys.count or 0) + 1
    local key = ('"go%d"'):format(keys.count)
    return { only("me == 0", { tree.set(key) }, { tree.get(key) }) }
end

-- ---- programs ----

local function divisors(n)
    local list = {}
    for d = 2, n do
        if n % d == 0 then list[#list + 1] = d end
    end
    return list
end

local function groups(p)
    local g = { world = { name = "world", size = p.n, stream = "stream" } }
    g.tp, g.dp = g.world, g.world
    local list = divisors(p.n)
    if p.n > 2 and draw.below(4) > 0 and #list > 1 then
        local width = draw.pick(list)
        p:split("tp", ("me // %d"):format(width))
        g.tp = { name = "tp", size = width, stream = "stream" }
        if width < p.n then
            p:split("dp", ("me %% %d"):format(width))
            g.dp = { name = "dp", size = p.n // width, stream = "stream" }
        end
    end
    return g
end

local workloads = {}

workloads.shapes = { "process", "process", "ids", "thread", "workers", "single", "hosts", "threads" }

local sizes = { 2, 3, 4, 4, 4, 5, 6, 8, 8, 8, 12, 16 }

local function some(p, g, most)
    local body, used = {}, {}
    for _ = 1, 1 + draw.below(most) do
        local name = draw.pick(names)
        used[#used + 1] = name
        add(body, table.unpack(phases[name](p, g)))
    end
    return body, used
end

function workloads.draw(shape, n)
    shape = shape or draw.pick(workloads.shapes)
    n = n or (draw.chance(40) and draw.pick { 32, 64 } or draw.pick(sizes))
    local p = tree.program(n, shape)
    local g, main, keys = groups(p), p.bodies[1], {}
    if draw.chance(2) then add(main, collective(p, g.world, "broadcast", { root = 0 })) end
    if draw.chance(3) then add(main, table.unpack(hosts(p, keys))) end
    local body
    body, p.phases = some(p, g, 3)
    if draw.chance(2) then add(body, sync()) end
    add(main, loop("step", 1 + draw.below(4), body))
    add(main, table.unpack(hosts(p, keys)))
    if draw.chance(2) then add(main, any(p, g[draw.pick { "world", "tp", "dp" }])) end
    if draw.chance(3) then
        add(main, sync())
        add(main, table.unpack((some(p, g, 1))))
    end
    if not draw.chance(4) then add(main, sync()) end
    if p.second then
        local side = p:new_stream()
        p:split("loader", "0")
        local c = { name = "loader", size = n, stream = side }
        local second = { any(p, c), any(p, c) }
        p.bodies[2] = { loop("batch", 1 + draw.below(3), second), sync(side) }
        if draw.chance(2) then table.insert(second, sync(side)) end
    end
    return p
end

return workloads
