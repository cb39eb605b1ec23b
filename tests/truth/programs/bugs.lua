-- Bugs of training programs that people report, one for a program: which rank is wrong (or which ranks), and
-- the classes that a report may give it. How many calls the repair takes is counted by whoever asks.
local tree, draw, places, patterns = require "tree", require "draw", require "places", require "patterns"

local only = tree.only
local on, size, choose, copy = patterns.on, patterns.size, places.choose, places.copy

local bugs = {}

local function truth(rank, ...) return { ranks = { rank }, classes = { ... } } end

local function of_rank(rank, classes) return { ranks = { rank }, classes = classes } end

-- ---- places ----

-- In one round of the loops around, or always for this rank.
local function condition(p, place, rank)
    if draw.chance(3) then return "me == " .. rank end
    return places.condition(p, place, rank)
end

local function a_call(p, fits)
    local found = places.calls(p, fits)
    if #found == 0 then return nil end
    local place, rank = draw.pick(found), places.a_rank(p)
    return place, rank, condition(p, place, rank)
end

local function of_role(...)
    local roles = {}
    for _, role in ipairs { ... } do roles[role] = true end
    return function(node) return roles[node.role] end
end

local function collective(node) return not places.is_message(node) end

local function loops(p, var)
    return places.all(p, function(place)
        return place.node.kind == "loop" and place.node.var == var and not place.group
    end)
end

-- Whether all that is in it are calls that can be left out one by one.
local function plain(body)
    local fine = true
    tree.each(body, function(list, at) if list[at].kind == "invoke" then fine = false end end)
    return fine
end

local function skip_calls(body, cond)
    local found = {}
    tree.each(body, function(list, at)
        if list[at].kind == "call" then found[#found + 1] = { list, at } end
    end)
    for _, place in ipairs(found) do place[1][place[2]] = only(cond, {}, { place[1][place[2]] }) end
    return #found > 0
end

-- The statement in the loop of steps behind which something is put for one rank, and the condition of a step.
local function in_a_step(p, rank)
    local found = loops(p, "step")
    if #found == 0 then return end
    local place = draw.pick(found)
    local body, steps = place.node.body, tonumber(place.node.to)
    local cond = ("me == %d and step == %d"):format(rank, 1 + draw.below(steps))
    if draw.chance(3) then cond = ("me == %d and step %% 2 == 0"):format(rank) end
    return body, draw.below(#body + 1) + 1, cond, place
end

-- ---- calls that one rank leaves out ----

local function leave_out(p, fits)
    local place, rank, cond = a_call(p, fits)
    if not place then return end
    place.list[place.at] = only(cond, {}, { place.node })
    return of_rank(rank, places.missed[place.node.op] or { "skipped-call" })
end

function bugs.skipped_call(p) return leave_out(p, collective) end
function bugs.skipped_message(p) return leave_out(p, places.is_message) end
function bugs.unused_parameter(p) return leave_out(p, of_role "gradient") end
function bugs.no_evaluation(p) return leave_out(p, of_role "evaluation") end

-- One round fewer than the others, or one more.
local function rounds(p, var, by)
    local found = loops(p, var)
    if #found == 0 then return end
    local place, rank = draw.pick(found), places.a_rank(p)
    local node, cond = place.node, "me == " .. rank
    for _, l in ipairs(place.loops) do
        local to = tonumber(l.to)
        if to and draw.chance(2) then cond = cond .. (" and %s == %d"):format(l.var, 1 + draw.below(to)) end
    end
    if not p.joint then
        node.to = choose(cond, node.to .. (by < 0 and " - 1" or " + 1"), node.to)
    else
        local last = ("%s and %s == %s"):format(cond, var, node.to)
        if by > 0 or not plain(node.body) or not skip_calls(node.body, last) then return end
    end
    if by < 0 then return of_rank(rank, places.gone) end
    return truth(rank, "extra-call", "send-without-recv", "recv-without-send")
end

function bugs.uneven_data(p) return rounds(p, "step", -1) end
function bugs.more_data(p) return rounds(p, "step", 1) end
function bugs.fewer_tokens(p) return rounds(p, "token", -1) end
function bugs.fewer_layers(p) return rounds(p, "layer", -1) end
function bugs.short_loader(p) return rounds(p, "batch", -1) end

function bugs.fewer_microbatches(p)
    for _, value in ipairs(p.locals) do
        if value.name == "micro" then
            local rank = places.a_rank(p)
            value.expr = choose("me == " .. rank, tonumber(value.expr) - 1, value.expr)
            return of_rank(rank, places.gone)
        end
    end
    return rounds(p, "micro", -1)
end

-- An exception ends a step of one rank: what is behind it in that step is left out.
function bugs.exception(p)
    local rank = places.a_rank(p)
    local body, at, cond = in_a_step(p, rank)
    if not body or at > #body then return end
    local rest = table.move(body, at, #body, 1, {})
    if p.joint then
        if not plain(rest) or not skip_calls(rest, cond) then return end
    else
        for i = #body, at, -1 do body[i] = nil end
        body[at] = only(cond, {}, rest)
    end
    return of_rank(rank, places.gone)
end

-- The loop ends for one rank: it looks at its own loss. Or the rank leaves for good.
local function leave(p, node)
    if p.joint then return end
    local rank = places.a_rank(p)
    local body, at, cond = in_a_step(p, rank)
    if not body then return end
    table.insert(body, at, only(cond, { node }))
    return of_rank(rank, places.gone)
end

function bugs.local_stop(p) return leave(p, tree.stop()) end
function bugs.early_exit(p) return leave(p, tree.leave()) end

-- ---- calls that one rank makes alone ----

local function alone(p, rank, nodes)
    local body, at, cond = in_a_step(p, rank)
    if not body then return end
    table.insert(body, at, only(cond, nodes))
    return truth(rank, "extra-call")
end

local function first_or_last(p) return draw.chance(4) and p.n - 1 or 0 end

local world = { name = "world" }

function bugs.log_by_one(p)
    return alone(p, first_or_last(p), { on(world, "all_reduce", "log", p:new_buffer("float32", 1, "metric")) })
end

function bugs.barrier_by_one(p)
    local rank = first_or_last(p)
    if p.processes == p.n and not p.second and draw.chance(2) then
        local body, at, cond = in_a_step(p, rank)
        table.insert(body, at, only(cond, { tree.barrier() }))
        return { ranks = { rank }, classes = { "host-wait" }, size = 1 }
    end
    return alone(p, rank, { on(world, "all_reduce", "barrier", p:new_buffer("float32", 1, "meeting")) })
end

function bugs.checkpoint_by_one(p)
    local k, nodes = size(), {}
    local part, whole = p:new_buffer("float32", k, "shard_out"), p:new_buffer("float32", k * p.n, "full_state")
    nodes[1] = on(world, "all_gather", "checkpoint", part, { y = whole })
    if draw.chance(2) then nodes[2] = on(world, "all_gather", "checkpoint", part, { y = whole }) end
    if draw.chance(2) then nodes[#nodes + 1] = on(world, "all_reduce", "barrier", p:new_buffer("float32", 1, "saved")) end
    return alone(p, first_or_last(p), nodes)
end

-- The first ranks, fewer than half of all, evaluate.
function bugs.evaluation_by_some(p)
    local some = 1 + draw.below((p.n - 1) // 2)
    local body, at = in_a_step(p, 0)
    if not body then return end
    local metric = on(world, "all_reduce", "evaluation", p:new_buffer("float32", 4, "accuracy"))
    table.insert(body, at, only(("me < %d and step %% 2 == 0"):format(some), { metric }))
    local all = {}
    for m = 0, some - 1 do all[#all + 1] = m end
    return { ranks = all, classes = { "extra-call" } }
end

function bugs.called_twice(p)
    local place, rank, cond = a_call(p, collective)
    if not place then return end
    table.insert(place.list, place.at + 1, only(cond, { copy(place.node) }))
    return truth(rank, "extra-call")
end

-- ---- calls with other arguments ----

function bugs.partial_batch(p)
    local place, rank, cond = a_call(p, function(node)
        local buffer = p.buffer[node.x]
        return not node.count and not node.y and not places.is_message(node) and buffer and buffer.count > 4
    end)
    if not place then return end
    local k, less = p.buffer[place.node.x].count, draw.chance(5) and 0 or 3
    place.node.count = choose(cond, less * k // 4, tostring(k))
    return truth(rank, less == 0 and "zero-count" or "count-mismatch")
end

function bugs.message_size(p)
    local place, rank, cond = a_call(p, of_role "pipeline")
    if not place then return end
    local k = p.buffer[place.node.x].count
    place.node.count = choose(cond, k // 2, tostring(k))
    return truth(rank, "p2p-count-mismatch")
end

function bugs.routed_tokens(p, sizes)
    local place, rank = a_call(p, of_role "tokens")
    if not place or not place.node.count then return end
    place.node.count = ("%s + (me == %d and peer == %d and 16 or 0)"):format(place.node.count, rank,
                                                                               1 + draw.below(sizes[place.node.comm]))
    return truth(rank, "p2p-count-mismatch", place.node.op == "send" and "send-without-recv" or "recv-without-send",
                 "zero-count")
end

-- Mixed precision is on for one rank.
function bugs.precision(p)
    local place, rank, cond = a_call(p, function(node)
        local buffer = p.buffer[node.x]
        return not places.is_message(node) and not node.count and buffer and buffer.dtype == "float32"
    end)
    if not place then return end
    local node = place.node
    for _, key in ipairs { "x", "y" } do
        if node[key] then
            node[key] = choose(cond, p:new_buffer("float16", p.buffer[node[key]].count, "half"), node[key])
        end
    end
    return truth(rank, "dtype-mismatch")
end

function bugs.root(p)
    local place, rank, cond = a_call(p, function(node) return node.root ~= nil end)
    if not place then return end
    place.node.root = choose(cond, "1", place.node.root)
    return truth(rank, "root-mismatch")
end

function bugs.operator(p)
    local place, rank, cond = a_call(p, function(node) return node.op == "all_reduce" end)
    if not place then return end
    local usual = place.node.redop or '"sum"'
    place.node.redop = choose(cond, usual == '"max"' and '"sum"' or '"max"', usual)
    return truth(rank, "op-mismatch")
end

function bugs.wrong_peer(p, sizes)
    local place, rank, cond = a_call(p, of_role("pipeline", "ring"))
    if not place then return end
    place.node.peer = choose(cond, ("(%s + 1) %% %d"):format(place.node.peer, sizes[place.node.comm]), place.node.peer)
    return truth(rank, "wrong-peer")
end

-- The world instead of the group.
function bugs.wrong_group(p)
    local place, rank, cond = a_call(p, function(node)
        return node.comm ~= "world" and node.comm ~= "loader" and not places.is_message(node) and not node.y
    end)
    if not place then return end
    place.node.comm = choose(cond, "world", place.node.comm)
    return truth(rank, "wrong-comm")
end

-- ---- order ----

local function swapped(p, fits, ...)
    local found = places.calls(p, function(node, place)
        local next = place.list[place.at + 1]
        return next and next.kind == "call" and fits(node, next)
    end)
    if #found == 0 then return end
    local place, rank = draw.pick(found), places.a_rank(p)
    local cond = condition(p, place, rank)
    local a, b = place.list[place.at], place.list[place.at + 1]
    place.list[place.at] = only(cond, { copy(b), copy(a) }, { a, b })
    table.remove(place.list, place.at + 1)
    return truth(rank, ...)
end

function bugs.bucket_order(p)
    return swapped(p, function(a, b)
        return a.comm == b.comm and collective(a) and collective(b) and not a.y and not b.y
    end, "swapped-calls")
end

function bugs.group_order(p)
    return swapped(p, function(a, b) return a.comm ~= b.comm end, "comm-order", "launch-order")
end

-- All ranks send before they receive: nobody in particular is wrong.
function bugs.no_group(p)
    if p.joint then return end
    local found = places.all(p, function(place) return place.node.kind == "group" and not place.group end)
    if #found == 0 then return end
    local place = draw.pick(found)
    place.list[place.at] = only("true", place.node.body)
    return { ranks = {}, classes = { "p2p-cycle", "message-order" }, size = 2 * p.n }
end

-- ---- ranks that are gone, hosts ----

local function settled(p, ...)
    local list = { tree.sync() }
    for _, name in ipairs(p.streams) do list[#list + 1] = tree.sync(name) end
    for _, node in ipairs { ... } do list[#list + 1] = node end
    return list
end

local function ended(p, nodes, ...)
    if p.joint or p.second then return end
    local rank = places.a_rank(p)
    local body, at, cond = in_a_step(p, rank)
    if not body then return end
    table.insert(body, at, only(cond, nodes))
    return { ranks = { rank }, classes = { ... }, gone = true }
end

function bugs.killed(p)
    if p.spawned or p.n > 8 then return end
    return ended(p, settled(p, tree.kill()), "rank-lost")
end

-- One rank sees an error, and aborts what it has.
function bugs.aborted(p)
    return ended(p, settled(p, tree.abort "world", tree.leave()), "abort-one-rank", "child-not-aborted",
                 table.unpack(places.gone))
end

function bugs.no_key(p)
    local found = places.all(p, function(place) return place.node.kind == "set" end)
    if #found == 0 then return end
    local place = draw.pick(found)
    if draw.chance(2) then place.node.key = '"done"' else place.list[place.at] = only("me == 0", {}, { place.node }) end
    return { ranks = { 0 }, classes = { "host-wait" }, size = 1 }
end

function bugs.no_barrier(p)
    local found = places.all(p, function(place) return place.node.kind == "barrier" end)
    if #found == 0 or p.processes < p.n then return end
    local place, rank = draw.pick(found), places.a_rank(p)
    place.list[place.at] = only(condition(p, place, rank), {}, { place.node })
    return { ranks = { rank }, classes = { "host-wait" }, size = 1 }
end

return bugs
