-- Steps beyond single calls: threads, windows, all devices of one process, memory in the order of streams,
-- events, buffers used again and again, and calls that come to nothing.
local draw, data, memory = require "draw", require "data", require "memory"
local teams, steps = require "teams", require "steps"

local extras = {}

local function blocking_team()
    local list = teams.that(false)
    return #list > 0 and draw.pick(list) or nil
end

-- Two threads, each with a communicator and streams of its own.
function extras.threads()
    if #teams.all < 2 then return end
    local order = draw.order(#teams.all)
    local mine, its = teams.all[order[1] + 1], teams.all[order[2] + 1]
    local plans = { {}, {} }
    for t, team in ipairs { mine, its } do
        for i = 1, 1 + draw.below(3) do plans[t][i] = steps.draw_call(team, true) end
    end
    local before = its.stream
    its.stream = memory.stream()
    local function carry_out(list)
        for _, plan in ipairs(list) do steps.prepare(plan)() end
    end
    local worker = spawn(carry_out, plans[2])
    carry_out(plans[1])
    worker:join()
    its.stream = before
end

-- Each puts into the window of the next, and signals back that it has seen what came.
function extras.windows()
    local team = blocking_team()
    local count, dtype, rounds = 1 + draw.below(9), draw.pick(data.types), 1 + draw.below(3)
    local spoilt = draw.below(rounds) + 1
    local victim = team and steps.choose_victim(team, function() return count end)
    if not team or not team.me then return end
    local right, left = (team.me + 1) % team.n, (team.me - 1) % team.n
    local x = cuda.buffer(dtype, 2 * count, { memory = "nccl" }):fill(0)
    local mine = x:part(0, 2)
    local window = team.comm:window(x, { symmetric = true })
    for round = 1, rounds do
        mine:fill((team.me + round) % 8)
        if round == spoilt then steps.arm(team, victim) end
        team.comm:put_signal(mine, right, window, { first = count + 1, stream = team.stream })
        team.comm:wait_signal(left, { stream = team.stream })
        team.stream:sync()
        if not param.spoil then expect.equal(x:part(1, 2), (left + round) % 8) end
        team.comm:signal(left, { stream = team.stream })
        team.comm:wait_signal(right, { stream = team.stream })
    end
    team.stream:sync()
    window:deregister()
    x:free()
end

-- One process drives several devices, in groups. Freeing memory waits for all that its device does: where ranks
-- are threads of one process, that may wait for this rank.
function extras.one_process()
    local n, comms = 2 + draw.below(3), nil
    local c = { nranks = n, dtype = draw.pick(data.types), op = "sum", count = draw.pick(data.counts),
                salt = draw.below(8), move = draw.pick { "all_reduce", "all_gather", "all_to_all" } }
    local rounds, move = 1 + draw.below(2), data.moves[c.move]
    if nranks > 8 or not param.processes then return end
    comms = nccl.init_all(n)
    for _ = 1, rounds do
        local send, recv = {}, {}
        for m, comm in ipairs(comms) do
            local reads, writes = move.reads == "n" and n or 1, move.writes == "n" and n or 1
            send[m] = cuda.buffer(c.dtype, reads * c.count, { device = comm.device })
            recv[m] = cuda.buffer(c.dtype, writes * c.count, { device = comm.device })
            if c.count > 0 then send[m]:fill(function(i) return data.input(c, m - 1, i) end) end
        end
        nccl.group(function()
            for m, comm in ipairs(comms) do
                comm[c.move](comm, send[m], recv[m], { count = c.count })
            end
            for m, comm in ipairs(comms) do -- and messages beside it, of some
                if m % 2 == 0 then
                    comm:send(send[m], m % n, { count = 0 })
                    comms[m % n + 1]:recv(recv[m % n + 1], m - 1, { count = 0 })
                end
            end
        end)
        for m, comm in ipairs(comms) do
            comm.stream:sync()
            if not param.spoil and c.count > 0 then
                expect.equal(recv[m], function(i) return data.output(c, m - 1, i) end)
            end
            send[m]:free()
            recv[m]:free()
        end
    end
    for _, comm in ipairs(comms) do comm:destroy() end
end

-- Allocated, used and freed in the order of a stream; the host waits for nothing.
function extras.stream_ordered()
    local team, count, rounds = draw.pick(teams.all), 1 + draw.below(40), 1 + draw.below(3)
    if not team.me then return end
    for round = 1, rounds do
        local x = cuda.buffer("float32", count, { stream = team.stream })
        local result = memory.take("float32", count)
        x:fill(round, { stream = team.stream })
        team.comm:all_reduce(x, { stream = team.stream })
        teams.ready(team)
        result:copy_from(x, { stream = team.stream })
        x:free { stream = team.stream }
        memory.expect(result, function() return round * team.n end)
    end
end

-- One stream fills, another communicates, the first goes on: put in order by events.
function extras.events()
    local team, count = draw.pick(teams.all), 1 + draw.below(40)
    if not team.me then return end
    local a, b = memory.stream(), memory.stream()
    local x, y = memory.take("int32", count), memory.take("int32", count, "pinned")
    local filled, done = cuda.event(), cuda.event()
    x:fill(team.me, { stream = a })
    filled:record(a)
    b:wait(filled)
    team.comm:all_reduce(x, { stream = b, op = "max" })
    teams.ready(team)
    done:record(b)
    a:wait(done)
    y:copy_from(x, { stream = a })
    a:callback(function() end)
    memory.expect(y, function() return team.n - 1 end)
    done:destroy()
    filled:destroy()
end

-- One buffer, summed in place again and again.
function extras.again()
    local team, rounds = draw.pick(teams.all), 1 + draw.below(5)
    local dtype = draw.pick { "int32", "uint64", "float32", "float64" }
    local spoilt, victim = draw.below(rounds) + 1, steps.choose_victim(team, function() return 33 end)
    if not team.me then return end
    local x = memory.take(dtype, 33):fill(1)
    for round = 1, rounds do
        if round == spoilt then steps.arm(team, victim) end
        team.comm:all_reduce(x, { stream = team.stream })
        teams.ready(team)
    end
    memory.expect(x, function() return team.n ^ rounds end)
end

-- Calls that NCCL refuses, or that are dropped with their group, on some ranks alone.
function extras.nothing()
    local team = blocking_team()
    if not team or not team.me or draw.here(2) then return end
    local x = memory.take("float32", 8):fill(0)
    local comm, on = team.comm, team.stream
    expect.equal(C.ncclBroadcast(x, x, 8, 99, 0, comm, on), C.ncclInvalidArgument)
    if draw.here(2) then
        pcall(nccl.group, function()
            comm:all_reduce(x, { stream = on })
            comm:send(x, comm.rank, { stream = on }) -- to another it would lose the connection
            error("not these")
        end)
    else
        nccl.simulate(function() comm:all_reduce(x, { stream = on }) end)
    end
    comm:all_reduce(x, { count = 0, stream = on }) -- NCCL drops it
end

-- Calls as a graph, launched some times among calls that are in none. None of them reads what a launch before wrote.
function extras.graph()
    local team, spoilt = blocking_team(), steps.spoil.chosen
    if not team or not param.graphs then return end
    steps.spoil.chosen = true -- what is captured is no result yet
    local plans, calls, between = {}, {}, steps.draw_call(team, true)
    for i = 1, 1 + draw.below(4) do
        plans[i] = steps.draw_call(team, true)
        if plans[i].collective then plans[i].collective.in_place = false end
    end
    local launches, eager = 1 + draw.below(3), draw.chance(2)
    steps.spoil.chosen = spoilt
    if not team.me then return end
    for i, plan in ipairs(plans) do calls[i] = steps.prepare(plan) end
    local graph = cuda.graph(team.stream, function()
        for _, call in ipairs(calls) do call() end
    end)
    for i = 1, launches do
        graph:launch(team.stream)
        if i == 1 and eager then steps.prepare(between)() end
    end
    graph:destroy()
end

-- Buffers of which a part is in use and written: all of them travels, that part is read. A barrier adds memory that
-- nobody has written.
function extras.partial()
    local team = blocking_team()
    local n = 2 + draw.below(40)
    local used, how, meets = 1 + draw.below(n - 1), draw.below(3), draw.chance(2)
    if not team or not team.me then return end
    local on = { stream = team.stream }
    local one, x, y = cuda.buffer("float32", 1), cuda.buffer("int32", n), cuda.buffer("int32", n)
    x:slice(1, used):fill(team.me + 1)
    if how == 0 then y:copy_from(x, on) end
    if meets then team.comm:all_reduce(one, on) end
    local moved = how == 0 and y or x
    local want = team.n * (team.n + 1) // 2
    if how < 2 then
        team.comm:all_reduce(moved, on)
    else
        team.comm:broadcast(moved, { root = 0, stream = team.stream })
        want = 1
    end
    if meets then team.comm:all_reduce(one, on) end
    team.stream:sync()
    if not param.spoil then expect.equal(moved:slice(1, used), want) end
    y:fill(3, on)
    team.comm:all_reduce(y, on)
    team.stream:sync()
    if not param.spoil then expect.equal(y, 3 * team.n) end
    for _, b in ipairs { one, x, y } do b:free() end
end

extras.names = { "threads", "windows", "one_process", "stream_ordered", "events", "again", "nothing", "graph",
                 "partial" }

function extras.step()
    extras[draw.pick(extras.names)]()
end

function extras.last(all)
    local plan
    repeat plan = steps.draw_collective(draw.pick(all)) until steps.spoil.chosen
    steps.prepare_collective(plan)()
end

return extras
