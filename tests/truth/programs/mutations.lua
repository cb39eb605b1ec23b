-- One thing that one rank does otherwise. Each mutation finds the statements that it can change, changes one
-- of them for one rank, and knows what is true of that: the class of the bug, and how many calls the inverse
-- has to change.
local tree, draw, places = require "tree", require "draw", require "places"

local only = tree.only
local is_message, a_rank, condition = places.is_message, places.a_rank, places.condition
local calls, take, choose, copy = places.calls, places.take, places.choose, places.copy
local missed, added, gone = places.missed, places.added, places.gone

local mutations = {}

-- Whoever leaves takes its window along: what others put there is an error of theirs.
local function has_window(p)
    for _, b in pairs(p.buffer) do
        if b.window then return true end
    end
    return false
end

-- ---- what may go wrong ----

local one_sided = { signal = true, put_signal = true, wait_signal = true }

function mutations.leave_out(p)
    local place, rank, cond = take(p, function(node) return not (node.op == "wait_signal" and has_window(p)) end)
    if not place then return end
    place.list[place.at] = only(cond, {}, { place.node })
    return { rank = rank, size = place.times, classes = missed[place.node.op] or { "skipped-call" } }
end

-- The same call twice, or another one at a line of its own.
function mutations.add(p)
    local place, rank, cond = take(p, function(node) return node.op ~= "put_signal" end)
    if not place then return end
    local node = copy(place.node)
    if draw.chance(2) and not is_message(node) and not one_sided[node.op] and node.op ~= "all_reduce" then
        node.op, node.y, node.root, node.redop = "all_reduce", nil, nil, nil
        node.x = p:new_buffer("int32", 1)
    end
    table.insert(place.list, place.at + 1, only(cond, { node }))
    return { rank = rank, size = place.times, classes = added[node.op] or { "extra-call" } }
end

-- One round less than the others: all calls of the body are missing in it.
function mutations.fewer(p)
    if has_window(p) then return end
    local found = places.all(p, function(place)
        return place.node.kind == "loop" and #place.loops == 0 and not place.group and tonumber(place.node.to) > 1
    end)
    if #found == 0 then return end
    local place, rank = draw.pick(found), a_rank(p)
    local node = place.node
    if not p.joint then
        node.to = choose("me == " .. rank, tonumber(node.to) - 1, node.to)
    else
        local cond = ("me == %d and %s == %s"):format(rank, node.var, node.to)
        local inner = {}
        tree.each(node.body, function(list, at)
            if list[at].kind == "call" then inner[#inner + 1] = { list, at } end
        end)
        if #inner == 0 then return end
        for _, place in ipairs(inner) do place[1][place[2]] = only(cond, {}, { place[1][place[2]] }) end
    end
    return { rank = rank, size = "calls", classes = { "skipped-call", "recv-without-send", "send-without-recv", "signal-missing" } }
end

function mutations.count(p)
    local place, rank, cond = take(p, function(node)
        return not one_sided[node.op] and p.buffer[node.x].count > 1 and not node.count
    end)
    if not place then return end
    local node = place.node
    local x = p.buffer[node.x].count
    local usual = node.y and math.min(x, p.buffer[node.y].count) or x
    if node.op == "all_to_all" or node.part or usual < 2 then return end
    local other = draw.below(4) > 0 and usual // 2 or 0
    node.count = choose(cond, other, usual)
    local class = is_message(node) and "p2p-count-mismatch" or "count-mismatch"
    if other == 0 then
        return { rank = rank, size = place.times, classes = { is_message(node) and class or "zero-count" } }
    end
    return { rank = rank, size = place.times, classes = { class } }
end

function mutations.dtype(p)
    local place, rank, cond = take(p, function(node) return not is_message(node) and not one_sided[node.op] end)
    if not place then return end
    local node = place.node
    local function other(name)
        local b = p.buffer[name]
        local t = b.dtype == "float32" and draw.pick { "float16", "int32", "float64" } or "float32"
        return p:new_buffer(t, b.count), t
    end
    local x, y, t = node.x, node.y, nil
    local new
    new, t = other(x)
    if y then
        local second = p:new_buffer(t, p.buffer[y].count)
        node.y = choose(cond, second, y)
    end
    node.x = choose(cond, new, x)
    return { rank = rank, size = place.times, classes = { "dtype-mismatch" } }
end

local reduces = { all_reduce = true, reduce = true, reduce_scatter = true }

function mutations.op(p)
    local place, rank, cond = take(p, function(node) return reduces[node.op] end)
    if not place then return end
    local usual = place.node.redop or '"sum"'
    place.node.redop = choose(cond, usual == '"max"' and '"min"' or '"max"', usual)
    return { rank = rank, size = place.times, classes = { "op-mismatch" } }
end

local rooted = { broadcast = true, reduce = true, gather = true, scatter = true }

function mutations.root(p, sizes)
    local place, rank, cond = take(p, function(node) return rooted[node.op] end)
    if not place then return end
    local usual = place.node.root or "0"
    place.node.root = choose(cond, ("(%s + 1) %% %d"):format(usual, sizes[place.node.comm]), usual)
    return { rank = rank, size = place.times, classes = { "root-mismatch" } }
end

function mutations.peer(p)
    if p.n < 3 then return end
    local place, rank, cond = take(p, function(node) return node.peer ~= nil end)
    if not place then return end
    local usual = place.node.peer
    place.node.peer = choose(cond, ("(%s + 1) %% n"):format(usual), usual)
    return { rank = rank, size = place.times,
             classes = { one_sided[place.node.op] and "signal-missing" or "wrong-peer" } }
end

function mutations.comm(p, sizes)
    local all = { "world" }
    for _, c in ipairs(p.comms) do
        if not c.how then all[#all + 1] = c.name end
    end
    if #all < 2 then return end
    local plain = { all_reduce = true, broadcast = true, reduce = true }
    local place, rank, cond = take(p, function(node) return plain[node.op] end)
    if not place then return end
    local node, other = place.node, draw.pick(all)
    if other == node.comm or p.polled[node.comm] or other == "loader" or node.comm == "loader" or
        (node.root and sizes[other] < sizes[node.comm]) then return end
    node.comm = choose(cond, other, node.comm)
    return { rank = rank, size = 2 * place.times, classes = { "wrong-comm" } }
end

-- Two calls that stand one after the other.
function mutations.exchange(p)
    local found = calls(p, function(_, place)
        local next = place.list[place.at + 1]
        return next and next.kind == "call"
    end)
    if #found == 0 then return end
    local place, rank = draw.pick(found), a_rank(p)
    local cond = condition(p, place, rank)
    local a, b = place.list[place.at], place.list[place.at + 1]
    local classes = a.comm == b.comm and { "swapped-calls" } or { "comm-order", "launch-order" }
    if is_message(a) and is_message(b) then
        classes = { "p2p-cycle", "message-order", "swapped-calls" }
    end
    place.list[place.at] = only(cond, { copy(b), copy(a) }, { a, b })
    table.remove(place.list, place.at + 1)
    return { rank = rank, size = place.times, classes = classes }
end

-- Whether a communicator is made in the midst.
local function derives(p)
    for _, c in ipairs(p.comms) do
        if c.how then return true end
    end
    return false
end

function mutations.group_end(p)
    if p.joint or derives(p) then return end
    local found = places.all(p, function(place) return place.node.kind == "group" and not place.group end)
    if #found == 0 then return end
    local place, rank = draw.pick(found), a_rank(p)
    place.node.open = condition(p, place, rank)
    return { rank = rank, size = place.times, ungrouped = true, classes = { "missing-group-end" } }
end

-- What the others group, this rank makes one by one.
function mutations.group(p)
    if p.joint then return end
    local found = places.all(p, function(place) return place.node.kind == "group" and not place.group end)
    if #found == 0 then return end
    local place, rank = draw.pick(found), a_rank(p)
    local cond = condition(p, place, rank)
    place.list[place.at] = only(cond, place.node.body, { place.node })
    return { rank = rank, size = 2, classes = { "p2p-cycle" } }
end

local function host_place(p, kinds)
    local found = places.all(p, function(place) return kinds[place.node.kind] end)
    if #found == 0 then return end
    return draw.pick(found)
end

function mutations.barrier(p)
    local place = host_place(p, { barrier = true })
    if not place then return end
    local rank = a_rank(p)
    local cond = condition(p, place, rank)
    if draw.chance(2) then
        place.list[place.at] = only(cond, {}, { place.node })
    else
        table.insert(place.list, place.at + 1, only(cond, { tree.barrier() }))
    end
    return { rank = rank, size = 1, classes = { "host-wait" } }
end

function mutations.key(p)
    local place = host_place(p, { set = true })
    if not place then return end
    place.node.key = choose("me == 0", '"other"', place.node.key)
    return { rank = 0, size = 1, classes = { "host-wait" } }
end

-- Leaves for good from one statement of the main body on, or in a round of its loop.
function mutations.leave(p)
    if p.joint or has_window(p) then return end
    local body, rank = p.bodies[1], a_rank(p)
    local at = 1 + draw.below(#body)
    local cond, list = "me == " .. rank, body
    if body[at].kind == "loop" and draw.chance(2) then
        list, cond = body[at].body, cond .. (" and %s == %s"):format(body[at].var, body[at].to)
        at = 1 + draw.below(#list)
    end
    table.insert(list, at, only(cond, { tree.leave() }))
    return { rank = rank, size = "calls", classes = gone }
end

-- Something ends the rank's part in the world, from one statement of the main body on.
local function ended(p, nodes, ...)
    if p.joint or has_window(p) then return end
    local body, rank = p.bodies[1], a_rank(p)
    if #body < 2 then return end
    table.insert(body, 2 + draw.below(#body - 1), only("me == " .. rank, nodes))
    return { rank = rank, size = "calls", classes = { ... } }
end

function mutations.destroy(p) return ended(p, { tree.destroy "world", tree.leave() }, "early-destroy", table.unpack(gone)) end

-- With nothing under way that would end with it.
local function settled(p, ...)
    local list = { tree.sync() }
    for _, name in ipairs(p.streams) do list[#list + 1] = tree.sync(name) end
    for _, node in ipairs { ... } do list[#list + 1] = node end
    return list
end

function mutations.abort(p)
    return ended(p, settled(p, tree.abort "world", tree.leave()), "abort-one-rank", "child-not-aborted",
                 table.unpack(gone))
end

-- On one host: neighbours on others would have an error.
function mutations.kill(p)
    if p.spawned or p.second or p.n > 8 then return end
    return ended(p, settled(p, tree.kill()), "rank-lost")
end

-- What waits is left out: nothing hangs for that.
function mutations.unsynced(p)
    local place = host_place(p, { sync = true, wait = true })
    if not place then return end
    local rank = a_rank(p)
    if p.joint then return end
    place.list[place.at] = only(condition(p, place, rank), {}, { place.node })
    return { rank = rank, size = 1, classes = {} }
end

-- A communicator in the midst that a rank does not come to make.
function mutations.derive(p)
    if p.joint then return end
    local found = places.all(p, function(place) return place.node.kind == "scope" end)
    if #found == 0 then return end
    local place, rank = draw.pick(found), a_rank(p)
    place.list[place.at] = only(condition(p, place, rank), {}, { place.node })
    return { rank = rank, size = "calls", classes = { "skipped-call" } }
end

function mutations.init(p)
    if p.name ~= "ids" and p.name ~= "workers" then return end
    local what = draw.pick { "absent", "own id", "size" }
    if p.n < 4 then return end
    local rank = what == "size" and draw.below(p.n - 1) or a_rank(p)
    p.wrong_init = { what = what, rank = rank }
    return { rank = rank, size = 1, classes = { what == "absent" and "init-missing-rank" or "init-clash" } }
end

return mutations
