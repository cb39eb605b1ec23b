-- What a training step does in communication, by the way in which the work is split among ranks. A pattern is
-- given the program and its groups, and returns the statements of a step; what has to be made before is
-- declared in the program. `role` says what a call is for: bugs are put where people meet them.
local tree, draw = require "tree", require "draw"

local group, loop, sync = tree.group, tree.loop, tree.sync
local only, when, record, wait, invoke = tree.only, tree.when, tree.record, tree.wait, tree.invoke

local sizes = { 16, 64, 256, 1024 }

local function size() return draw.pick(sizes) end

-- One call; `more`: y, root, redop, peer, count, first, stream, as in the tree.
local function on(c, op, role, x, more)
    local node = tree.call(c.name, op, more)
    node.x, node.role, node.stream = x, role, node.stream or "stream"
    if node.root then node.root = tostring(node.root) end
    if node.redop then node.redop = ("%q"):format(node.redop) end
    return node
end

local function append(list, more)
    for _, node in ipairs(more) do list[#list + 1] = node end
    return list
end

-- The statements themselves, or a function of them that is called: then several calls have one line.
local function maybe_function(p, name, body)
    if draw.chance(2) then return body end
    return { invoke(p:new_function(name .. #p.functions, nil, body)) }
end

local patterns = {}

-- ---- data parallel ----

-- What computes, then a stream of its own for gradients, then what computes again.
local function beside(p, side, body)
    local ready, done = p:new_event(), p:new_event()
    local list = { record(ready, "stream"), wait(ready, side) }
    append(list, body)
    return append(list, { record(done, side), wait(done, "stream") })
end

local function buckets(p, c)
    local body, side = {}, draw.chance(2) and p:new_stream()
    for i = 1, 2 + draw.below(3) do
        body[i] = on(c, "all_reduce", "gradient", p:new_buffer("float32", size(), "bucket" .. i), { stream = side or nil })
    end
    if draw.chance(4) then body = { group(body) } end
    return side and beside(p, side, body) or body
end

function patterns.ddp(p, g)
    local body = {}
    if draw.chance(3) then -- buffers as of batch norm
        body[1] = on(g.dp, "broadcast", "parameters", p:new_buffer("float32", 64, "running_mean"), { root = 0 })
    end
    if not draw.chance(4) then return append(body, buckets(p, g.dp)) end
    local grads = p:new_buffer("float32", size(), "grads")
    return append(body, { loop("layer", 2 + draw.below(4), { on(g.dp, "all_reduce", "gradient", grads) }) })
end

function patterns.accumulation(p, g)
    return { loop("micro", 2, { when("micro == 2", patterns.ddp(p, g)) }) }
end

-- ---- tensor parallel ----

local function plain_layer(p, g)
    local x = p:new_buffer("bfloat16", size(), "hidden")
    local body = { on(g.tp, "all_reduce", "activation", x) }
    if draw.chance(2) then body[2] = on(g.tp, "all_reduce", "activation", p:new_buffer("bfloat16", size(), "mlp")) end
    return body
end

local function sequence_layer(p, g)
    local k = size()
    local part, whole = p:new_buffer("bfloat16", k, "part"), p:new_buffer("bfloat16", k * g.tp.size, "whole")
    return { on(g.tp, "all_gather", "activation", part, { y = whole }),
             on(g.tp, "reduce_scatter", "activation", whole, { y = part }) }
end

local function layers(p, g, sequence)
    local count, make = 2 + draw.below(3), sequence and sequence_layer or plain_layer
    return { loop("layer", count, maybe_function(p, "forward", make(p, g))),
             loop("layer", count, maybe_function(p, "backward", make(p, g))) }
end

-- Logits are split by words: the largest, the sum, and the chosen one of all ranks.
local function cross_entropy(p, g)
    local body = {}
    for i, op in ipairs { "max", "sum", "sum" } do
        body[i] = on(g.tp, "all_reduce", "activation", p:new_buffer("float32", 64, "logits" .. i), { redop = op })
    end
    return body
end

local function gradients(p, g)
    return g.dp.size > 1 and buckets(p, g.dp) or {}
end

function patterns.tensor(p, g)
    local body = layers(p, g, draw.chance(2))
    if draw.chance(3) then
        for i, node in ipairs(cross_entropy(p, g)) do table.insert(body, 1 + i, node) end
    end
    return append(body, gradients(p, g))
end

-- ---- pipeline parallel ----

local function stage_calls(p, g)
    local c, k = g.pp, size()
    local last = ("stage < %d"):format(c.size - 1)
    local function message(op, name, peer, cond)
        local x = p:new_buffer("float16", k, name)
        return only(cond, { on(c, op, "pipeline", x, { peer = peer }) })
    end
    return { recv_forward = message("recv", "input", "stage - 1", "stage > 0"),
             send_forward = message("send", "output", "stage + 1", last),
             recv_backward = message("recv", "output_grad", "stage + 1", last),
             send_backward = message("send", "input_grad", "stage - 1", "stage > 0") }
end

-- One thread for several stages sends and receives what crosses at one time in one group.
local function ticks(p, g)
    local c, k, micro = g.pp, size(), 2 + draw.below(3)
    local function way(name, at, to, back)
        local sends, recvs = p:new_buffer("float16", k, name), p:new_buffer("float16", k, name .. "_in")
        local ready = ("tick > %s and tick <= %s + micro")
        local from = back and ("stage > 0 and " .. ready):format(at, at) or
            (("stage < %d and " .. ready):format(c.size - 1, at, at))
        local before = back and ("%d - stage"):format(c.size - 2) or "stage - 1"
        local into = back and ("stage < %d and " .. ready):format(c.size - 1, before, before) or
            (("stage > 0 and " .. ready):format(before, before))
        return loop("tick", micro + c.size - 2, {
            group { only(from, { on(c, "send", "pipeline", sends, { peer = to }) }),
                    only(into, { on(c, "recv", "pipeline", recvs, { peer = back and "stage + 1" or "stage - 1" }) }) } })
    end
    p:new_local("micro", tostring(micro))
    return { way("output", "stage", "stage + 1"), way("input_grad", ("%d - stage"):format(c.size - 1), "stage - 1", true) }
end

local function all_forward(p, g)
    local m = stage_calls(p, g)
    p:new_local("micro", tostring(2 + draw.below(4)))
    return { loop("mb", "micro", { m.recv_forward, m.send_forward }),
             loop("mb", "micro", { m.recv_backward, m.send_backward }) }
end

-- One forward, one backward: the last stage begins at once, those before it warm up.
local function one_forward_one_backward(p, g)
    local m = stage_calls(p, g)
    p:new_local("micro", tostring(math.max(2, g.pp.size - 1) + draw.below(4)))
    p:new_local("warmup", ("math.min(%d - stage, micro)"):format(g.pp.size - 1))
    return { loop("mb", "warmup", { m.recv_forward, m.send_forward }),
             only("micro > warmup", { m.recv_forward }),
             loop("mb", "micro - warmup", {
                 group { m.send_forward, m.recv_backward },
                 only("mb < micro - warmup", { group { m.send_backward, m.recv_forward } }, { m.send_backward }) }),
             loop("mb", "warmup", { m.recv_backward, m.send_backward }) }
end

-- Each stage has two chunks of layers: what leaves the last stage comes to the first once more.
local function interleaved(p, g)
    local c, k = g.pp, size()
    local next, previous = ("(stage + 1) %% %d"):format(c.size), ("(stage - 1) %% %d"):format(c.size)
    local function way(from, to, begin, ending)
        local x, y = p:new_buffer("float16", k, "recv_buffer"), p:new_buffer("float16", k, "send_buffer")
        return loop("mb", "micro", { loop("chunk", 2, {
            only(("not (%s)"):format(begin), { on(c, "recv", "pipeline", x, { peer = from }) }),
            only(("not (%s)"):format(ending), { on(c, "send", "pipeline", y, { peer = to }) }) }) })
    end
    local first, last = "stage == 0 and chunk == %d", ("stage == %d and chunk == %%d"):format(c.size - 1)
    p:new_local("micro", tostring(1 + draw.below(3)))
    return { way(previous, next, first:format(1), last:format(2)), way(next, previous, last:format(1), first:format(2)) }
end

function patterns.pipeline(p, g)
    local body
    if p.joint then body = ticks(p, g)
    else body = draw.pick { all_forward, one_forward_one_backward, one_forward_one_backward, interleaved }(p, g) end
    return append(body, gradients(p, g))
end

-- ---- sharded parameters ----

local function gather_layers(p, c, part, whole, role, side)
    local body = { on(c, "all_gather", role, part, { y = whole, stream = side or nil }) }
    if not side then return body end
    local ready = p:new_event()
    return append(body, { record(ready, side), wait(ready, "stream") })
end

function patterns.fsdp(p, g)
    local c, k, count = g.shard, size(), 2 + draw.below(3)
    local side = draw.chance(2) and p:new_stream()
    local part, whole = p:new_buffer("bfloat16", k, "shard"), p:new_buffer("bfloat16", k * c.size, "weights")
    local grads, reduced = p:new_buffer("float32", k * c.size, "grads"), p:new_buffer("float32", k, "grad_shard")
    local backward = append(gather_layers(p, c, part, whole, "parameters", side),
                            { on(c, "reduce_scatter", "gradient", grads, { y = reduced }) })
    if g.replica.size > 1 then append(backward, { on(g.replica, "all_reduce", "gradient", reduced) }) end
    return { loop("layer", count, gather_layers(p, c, part, whole, "parameters", side)),
             loop("layer", count, backward),
             on(g.world, "all_reduce", "norm", p:new_buffer("float32", 1, "grad_norm")) }
end

-- Each rank has the optimizer's state of some parameters.
function patterns.zero(p, g)
    local k = size()
    local grads, mine = p:new_buffer("float32", k * g.dp.size, "grads"), p:new_buffer("float32", k, "shard")
    return { on(g.dp, "reduce_scatter", "gradient", grads, { y = mine }),
             on(g.world, "all_reduce", "norm", p:new_buffer("float32", 1, "grad_norm")),
             on(g.dp, "all_gather", "parameters", mine, { y = grads }) }
end

-- ---- experts ----

-- Tokens from one rank to another are as many as its counts say, none for some.
local function tokens(p, g, name, from, to)
    local c = g.ep
    local sends = p:new_buffer("bfloat16", 48 * c.size, name)
    local recvs = p:new_buffer("bfloat16", 48 * c.size, name .. "_in")
    local function message(op, x, a, b)
        return on(c, op, "tokens", x, { peer = "peer - 1", count = ("16 * ((%s + 2 * (%s)) %% 4)"):format(a, b),
                                        part = "peer - 1", parts = c.size })
    end
    return group { loop("peer", c.size, { message("send", sends, from, to), message("recv", recvs, to, from) }) }
end

function patterns.experts(p, g)
    local c = g.ep
    local counts, all = p:new_buffer("int32", c.size, "counts"), p:new_buffer("int32", c.size * c.size, "all_counts")
    local body = { on(c, "all_gather", "counts", counts, { y = all }) }
    if draw.chance(3) then
        local k = 16 * c.size
        local x, y = p:new_buffer("bfloat16", k, "tokens"), p:new_buffer("bfloat16", k, "routed")
        append(body, { on(c, "all_to_all", "tokens", x, { y = y }), on(c, "all_to_all", "tokens", y, { y = x }) })
    else
        append(body, { tokens(p, g, "tokens", "expert", "peer - 1"), tokens(p, g, "results", "peer - 1", "expert") })
    end
    if draw.chance(2) then body = { loop("layer", 2, body) } end
    return append(body, buckets(p, g.world))
end

-- ---- context parallel ----

function patterns.ring(p, g)
    local c, k = g.cp, size()
    local a, b = p:new_buffer("float16", k, "keys"), p:new_buffer("float16", k, "next_keys")
    local even, odd = ("hop %% 2 == 1 and %s or %s"):format(a, b), ("hop %% 2 == 1 and %s or %s"):format(b, a)
    local ring = loop("hop", c.size - 1, {
        group { on(c, "send", "ring", even, { peer = ("(place + 1) %% %d"):format(c.size) }),
                on(c, "recv", "ring", odd, { peer = ("(place - 1) %% %d"):format(c.size) }) } })
    local body = { loop("layer", 1 + draw.below(2), { ring }) }
    return append(body, gradients(p, g))
end

-- ---- all three ----

function patterns.grid(p, g)
    local body = {}
    if g.tp.size > 1 then append(body, layers(p, g, draw.chance(3))) end
    if g.pp.size > 1 then append(body, patterns.pipeline(p, { pp = g.pp, dp = { size = 1 } })) end
    append(body, gradients(p, g))
    return append(body, { on(g.world, "all_reduce", "norm", p:new_buffer("float32", 1, "grad_norm")) })
end

-- ---- others ----

-- Tokens one by one: rank 0 has the requests and says what comes next.
function patterns.serving(p, g)
    local k = size()
    local x, y = p:new_buffer("float16", k, "logits"), p:new_buffer("float16", k * g.tp.size, "all_logits")
    local body = { loop("layer", 2, plain_layer(p, g)), on(g.tp, "all_gather", "activation", x, { y = y }),
                   on(g.tp, "broadcast", "tokens", p:new_buffer("int32", 16, "next_token"), { root = 0 }) }
    return { on(g.world, "broadcast", "parameters", p:new_buffer("int32", 64, "request"), { root = 0 }),
             loop("token", 2 + draw.below(3), body) }
end

-- Some learn, all act: what they see is gathered, weights come back.
function patterns.actors(p, g)
    local k = size()
    local x, y = p:new_buffer("float32", k, "rollouts"), p:new_buffer("float32", k * p.n, "all_rollouts")
    local learn = { on(g.learners, "all_reduce", "gradient", p:new_buffer("float32", size(), "grads")) }
    return { on(g.world, "gather", "tokens", x, { y = y, root = 0 }),
             only(("me < %d"):format(g.learners.size), learn),
             on(g.world, "broadcast", "parameters", p:new_buffer("float32", size(), "weights"), { root = 0 }) }
end

patterns.on, patterns.append, patterns.size, patterns.sync = on, append, size, sync

return patterns
