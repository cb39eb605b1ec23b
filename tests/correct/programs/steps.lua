-- What programs are made of. Each step is drawn first, by all ranks alike, as a plan; carrying it out draws
-- nothing that others have to know.
local draw, data, memory, teams = require "draw", require "data", require "memory", require "teams"

local steps = {}

-- The result that is to be spoilt: `armed` once it is chosen.
steps.spoil = { wanted = false, chosen = false }

-- One of the ranks that have a result of the call: `writes(m)` elements on rank m.
function steps.choose_victim(team, writes)
    local able = {}
    for m = 0, team.n - 1 do
        if writes(m) > 0 then able[#able + 1] = m end
    end
    if not steps.spoil.wanted or steps.spoil.chosen or #able == 0 then return nil end
    steps.spoil.chosen = true
    local m = draw.pick(able)
    return { m = m, first = 1 + draw.below(writes(m)) }
end

function steps.arm(team, victim)
    if not victim or victim.m ~= team.me then return end
    fault.corrupt { rank = rank, comm = team.comm, first = victim.first, count = 1 }
    print(("spoilt: rank %d element %d"):format(rank, victim.first))
end

-- ---- collectives ----

local function times(factor, c)
    return (factor == "n" and c.nranks or factor) * c.count
end

function steps.draw_collective(team, plain)
    local c = { team = team, nranks = team.n, move = draw.pick(data.move_names),
                dtype = draw.pick(data.types), op = draw.pick(data.ops), count = draw.pick(data.counts),
                root = draw.below(team.n), salt = draw.below(8), in_place = draw.chance(2),
                kind = draw.pick(memory.kinds), on_device = draw.chance(2), delay = draw.chance(6),
                other_stream = not plain and draw.chance(4), as_c = draw.chance(8) }
    local move = data.moves[c.move]
    if not move.reduces or not data.works(c.dtype, c.op, c.nranks) then c.op = "sum" end
    c.victim = steps.choose_victim(team, function(m)
        return (not move.root_writes or m == c.root) and times(move.writes, c) or 0
    end)
    return c
end

-- The operands on this rank: nil where it has none.
local function operands(c)
    local move, me = data.moves[c.move], c.team.me
    local reads, writes = times(move.reads, c), times(move.writes, c)
    local sends = not move.root_reads or me == c.root
    local receives = not move.root_writes or me == c.root
    local send, recv
    if c.in_place and sends and receives and c.move ~= "all_to_all" then
        local whole = memory.take(c.dtype, math.max(reads, writes), c.kind)
        send = reads < writes and whole:slice(me * c.count + 1, c.count) or whole
        recv = writes < reads and whole:slice(me * c.count + 1, c.count) or whole
    else
        send = sends and memory.take(c.dtype, reads, c.kind) or nil
        recv = receives and memory.take(c.dtype, writes, c.kind) or nil
    end
    if send and #send > 0 then
        send:fill(function(i) return data.input(c, me, i) end)
    end
    return send, recv
end

local function operator(c)
    if c.op ~= "premulsum" then return c.op end
    local scalar = data.scalar(c, c.team.me)
    if c.on_device then scalar = memory.take(c.dtype, 1):fill(scalar) end
    local op = c.team.comm:premulsum(c.dtype, scalar)
    memory.later(function() op:destroy() end)
    return op
end

-- Everything but the call itself, which is made by the function returned: nothing may be filled in a group.
function steps.prepare_collective(c)
    local team, move = c.team, data.moves[c.move]
    if not team.me then return function() end end
    local send, recv = operands(c)
    local op = move.reduces and operator(c) or nil
    local on = c.other_stream and memory.stream() or team.stream
    if recv then
        memory.expect(recv, function(i) return data.output(c, team.me, i) end)
    end
    return function()
        if c.delay then on:delay(1e-5) end
        steps.arm(team, c.victim)
        local options = { stream = on, count = c.count, op = op,
                          root = (move.root_reads or move.root_writes or c.move == "reduce") and c.root or nil }
        if c.as_c and c.move == "broadcast" and (send == recv or not send) then
            local dtype = C["nccl" .. c.dtype:sub(1, 1):upper() .. c.dtype:sub(2)]
            local code = C.ncclBcast(recv, c.count, dtype, c.root, team.comm, on)
            expect.that(code == C.ncclSuccess or code == C.ncclInProgress)
        else
            team.comm[c.move](team.comm, send, recv, options)
        end
        teams.ready(team)
    end
end

-- ---- messages ----

-- In this order on every rank, so that ungrouped ones are paired without a circle. relay: what has come in
-- goes on to the next.
function steps.draw_messages(team, grouped)
    local p = { team = team, relay = not grouped and team.n > 1 and draw.chance(3), salt = draw.below(8),
                dtype = draw.pick(data.types), kind = draw.pick(memory.kinds), count = draw.pick(data.counts) }
    local count = 1 + draw.below(6)
    for i = 1, count do
        local from, to = draw.below(team.n), draw.below(team.n)
        if p.relay then
            for m = 0, team.n - 2 do p[#p + 1] = { from = m, to = m + 1, salt = i, count = p.count } end
        elseif grouped or from ~= to then
            p[#p + 1] = { from = from, to = to, salt = i + p.salt, count = draw.pick(data.counts) }
        end
    end
    for _, m in ipairs(p) do
        m.victim = steps.choose_victim(team, function(r) return r == m.to and m.count or 0 end)
    end
    return p
end

local function value_of(p, m)
    return function(i)
        return ((p.relay and 0 or m.from) * 3 + i + m.salt) % 8
    end
end

-- The calls of this rank, in order.
function steps.prepare_messages(p)
    local team, calls, passed = p.team, {}, {}
    for _, m in ipairs(team.me and p or {}) do
        if m.from == team.me then
            local x = passed[m.salt] or memory.take(p.dtype, m.count, p.kind)
            if not passed[m.salt] and m.count > 0 then x:fill(value_of(p, m)) end
            calls[#calls + 1] = function() team.comm:send(x, m.to, { stream = team.stream }) end
        end
        if m.to == team.me then
            local x = memory.take(p.dtype, m.count, p.kind)
            if p.relay then passed[m.salt] = x end
            memory.expect(x, value_of(p, m))
            calls[#calls + 1] = function()
                steps.arm(team, m.victim)
                team.comm:recv(x, m.from, { stream = team.stream })
            end
        end
    end
    return function()
        for _, call in ipairs(calls) do
            call()
            teams.ready(team)
        end
    end
end

-- ---- one call or several ----

function steps.draw_call(team, plain, grouped)
    if draw.chance(3) then return { messages = steps.draw_messages(team, grouped) } end
    return { collective = steps.draw_collective(team, plain) }
end

function steps.prepare(plan)
    if plan.messages then return steps.prepare_messages(plan.messages) end
    return steps.prepare_collective(plan.collective)
end

-- Several in a group, of communicators that all block or all do not.
function steps.group(list)
    local calls, used = {}, {}
    for _, plan in ipairs(list) do
        calls[#calls + 1] = steps.prepare(plan)
        used[(plan.messages or plan.collective).team] = true
    end
    nccl.group(function()
        for _, call in ipairs(calls) do call() end
    end)
    for _, team in ipairs(teams.all) do
        if used[team] then teams.ready(team) end
    end
end

return steps
