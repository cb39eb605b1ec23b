-- What a program comes to, by the rules of matching alone: hosts, streams, communicators. It knows nothing of
-- the simulator and nothing of the diagnosis.
local tree = require "tree"

local model = {}

local size = { int8 = 1, float16 = 2, bfloat16 = 2, float32 = 4, int32 = 4, float64 = 8, int64 = 8 }
local composed = { gather = true, scatter = true, all_to_all = true }
local one_sided = { put_signal = true, signal = true, wait_signal = true }
local rooted = { broadcast = true, reduce = true, gather = true, scatter = true }
local reduces = { all_reduce = true, reduce = true, reduce_scatter = true }

-- ---- communicators ----

-- name -> member -> { id, ranks = member -> rank in it, members }
local function of_member(p, m, outer)
    local env = setmetatable({ me = m }, { __index = outer })
    for _, value in ipairs(p.locals) do env[value.name] = tree.eval(value.expr, env) end
    return env
end

local function communicators(p)
    local all = { world = {} }
    local world = { id = "world", members = {}, rank = {} }
    for m = 0, p.n - 1 do
        world.members[m + 1], world.rank[m], all.world[m] = m, m, world
    end
    for _, c in ipairs(p.comms) do
        all[c.name] = {}
        local made = {}
        for m = 0, p.n - 1 do
            local parent = all[c.parent][m]
            local color = parent and tree.eval(c.color, of_member(p, m, { n = p.n, math = math }))
            if c.how == "shrink" then color = parent and m < p.n - 1 and 0 end
            if color and color >= 0 then
                local key = parent.id .. "/" .. c.name .. color
                local comm = made[key] or { id = key, members = {}, rank = {}, made_by = parent.id .. "/" .. c.name }
                comm.makers = c.how == "shrink" and comm.members or parent.members
                made[key] = comm
                comm.rank[m] = #comm.members
                comm.members[#comm.members + 1] = m
                all[c.name][m] = comm
            end
        end
    end
    return all
end

-- ---- calls ----

-- Sends and receives of a call: list of { send = bool, from, to, bytes }.
local function messages(call)
    local list, m = {}, call.member
    local function add(send, other)
        list[#list + 1] = { send = send, from = send and m or other, to = send and other or m,
                            bytes = call.bytes, dtype = call.dtype, comm = call.comm }
    end
    local root = call.root and call.comm.members[call.root + 1]
    if call.op == "send" then add(true, call.peer)
    elseif call.op == "recv" then add(false, call.peer)
    elseif call.op == "gather" then
        add(true, root)
        if m == root then for _, r in ipairs(call.comm.members) do add(false, r) end end
    elseif call.op == "scatter" then
        add(false, root)
        if m == root then for _, r in ipairs(call.comm.members) do add(true, r) end end
    else
        for _, r in ipairs(call.comm.members) do add(true, r) add(false, r) end
    end
    return list
end

local function is_message(call) return call.op == "send" or call.op == "recv" or composed[call.op] end

-- NCCL drops collectives of no elements; a message of none waits for its other half all the same.
local function is_real(call) return call.count > 0 or call.op == "send" or call.op == "recv" end

-- ---- from statements to what hosts do ----

local Reader = {}
Reader.__index = Reader

function Reader:call(node, env)
    local m = env.me
    local comm = self.comms[tree.eval(node.comm, env)][m]
    if not comm then error("not a member", 0) end
    if one_sided[node.op] then
        return { node = node, member = m, comm = comm, op = node.op, count = 1, stream = m .. tree.eval(node.stream, env),
                 peer = comm.members[tree.eval(node.peer, env) + 1] }
    end
    local x = self.p.buffer[tree.eval(node.x, env)]
    local y = node.y and self.p.buffer[tree.eval(node.y, env)]
    local count = node.count and tree.eval(node.count, env)
    if not count then
        local n = #comm.members
        local smaller = y and math.min(x.count, y.count) or x.count
        count = (node.op == "all_to_all" or node.part) and x.count // n or smaller
    end
    return { node = node, member = m, comm = comm, op = node.op, count = count, dtype = x.dtype,
             bytes = count * size[x.dtype], redop = node.redop and tree.eval(node.redop, env) or "sum",
             root = rooted[node.op] and (node.root and tree.eval(node.root, env) or 0) or nil,
             peer = node.peer and comm.members[tree.eval(node.peer, env) + 1],
             stream = m .. tree.eval(node.stream, env) }
end

-- NCCL refuses a send to oneself without its receive in the same group, and the other way round.
local function check_own(calls)
    local open = {}
    for _, call in ipairs(calls) do
        if is_real(call) and is_message(call) then
            for _, msg in ipairs(messages(call)) do
                local key = msg.comm.id .. " " .. msg.from
                if msg.from == msg.to then open[key] = (open[key] or 0) + (msg.send and 1 or -1) end
            end
        end
    end
    for _, n in pairs(open) do
        if n ~= 0 then error("a message to oneself without its other half", 0) end
    end
end

function Reader:launch(calls)
    if self.depth > 0 then return end
    check_own(calls)
    self.out[#self.out + 1] = { kind = "launch", calls = calls }
end

function Reader:collect(node, env)
    local calls = {}
    for m = self.first or env.me, self.last or env.me do
        local inner = m == env.me and env or of_member(self.p, m, env)
        local before = self.calls
        self.calls = calls
        self:run(node.kind == "group" and node.body or { node }, inner)
        self.calls = before
    end
    return calls
end

function Reader:members(env, fn)
    if self.p.joint and not self.calls then
        for m = self.first, self.last do fn(of_member(self.p, m, env)) end
    else
        fn(env)
    end
end

local read = {}

function read.call(self, node, env) self.calls[#self.calls + 1] = self:call(node, env) end

function read.group(self, node, env)
    if self.calls then return self:run(node.body, env) end
    local open = node.open and tree.eval(node.open, env)
    local depth = self.depth
    self.depth = 0
    local calls = self:collect(node, env)
    self.depth = depth
    if open then self.depth = self.depth + 1 else self:launch(calls) end
end

function read.loop(self, node, env)
    for i = 1, tree.eval(node.to, env) do
        self:run(node.body, setmetatable({ [node.var] = i }, { __index = env }))
        if self.returned or self.stopped then break end
    end
    self.stopped = false
end

function read.only(self, node, env)
    self:run(tree.eval(node.cond, env) and node.body or node.other, env)
end

function read.invoke(self, node, env)
    for _, f in ipairs(self.p.functions) do
        if f.name == node.name then
            local inner = setmetatable({}, { __index = env })
            if f.param then inner[f.param] = tree.eval(node.arg, env) end
            self:run(f.body, inner)
        end
    end
end

read["return"] = function(self) self.returned = true end
read["break"] = function(self) self.stopped = true end

local function on_stream(kind)
    read[kind] = function(self, node, env)
        self:members(env, function(e)
            self.out[#self.out + 1] = { kind = kind, stream = e.me .. node.stream,
                                        event = node.event and e.me .. node.event }
        end)
    end
end
on_stream "sync"
on_stream "record"
on_stream "wait"

function read.destroy(self, node, env)
    self:members(env, function(e)
        self.out[#self.out + 1] = { kind = "destroy", member = e.me, comm = self.comms[tree.eval(node.comm, e)][e.me] }
    end)
end

function read.abort(self, node, env) read.destroy(self, node, env) end
function read.scope(self, node, env) self:run(node.body, env) end
function read.kill(self) self.out[#self.out + 1] = { kind = "kill" } end

function read.derive(self, node, env)
    local single = self.p.joint
    local step = { kind = "derive", made = {} }
    for m = single and self.first or env.me, single and self.last or env.me do
        local made = self.comms[node.comm][m]
        if made then step.made[#step.made + 1] = { comm = made, member = m } end
    end
    self.out[#self.out + 1] = step
end

function read.barrier(self, _, env) self.out[#self.out + 1] = { kind = "barrier", member = env.me } end
function read.set(self, node, env) self.out[#self.out + 1] = { kind = "set", key = tree.eval(node.key, env) } end
function read.get(self, node, env) self.out[#self.out + 1] = { kind = "get", key = tree.eval(node.key, env) } end

function Reader:run(body, env)
    for _, node in ipairs(body) do
        if self.returned or self.stopped then return end
        local loose = node.kind == "call" or (node.kind == "only" and not node.alike and self.p.joint)
        if loose and not self.calls then
            self:launch(self:collect(node, env))
        else
            read[node.kind](self, node, env)
        end
    end
end

local function environment(p, member)
    local env = { n = p.n, math = math }
    for name in pairs(p.handles) do env[name] = name end
    return of_member(p, member, env)
end

-- The host threads, each with what it does.
local function threads(p, comms)
    local list, each = {}, p.joint and p.n // p.processes or 1
    for _, body in ipairs(p.bodies) do
        for m = 0, p.n - 1, each do
            local reader = setmetatable({ p = p, comms = comms, out = {}, depth = 0, first = p.joint and m,
                                          last = p.joint and m + each - 1 }, Reader)
            reader:run(body, environment(p, m))
            list[#list + 1] = { steps = reader.out, at = 1, open = reader.depth > 0, member = m }
        end
    end
    return list
end

-- ---- the machine ----

local Machine = {}
Machine.__index = Machine

local function pair_key(msg) return msg.comm.id .. " " .. msg.from .. ">" .. msg.to end

local function get(t, key, default)
    if t[key] == nil then t[key] = default end
    return t[key]
end

function Machine:enter(step)
    for _, call in ipairs(step.calls) do
        if one_sided[call.op] then
            self.entered[call.comm.id .. " " .. call.member .. "!"] = true
        elseif is_real(call) and is_message(call) then
            for _, msg in ipairs(messages(call)) do
                self.entered[pair_key(msg) .. (msg.send and "s" or "r")] = true
            end
        elseif is_real(call) then
            self.entered[call.comm.id .. " " .. call.member] = true
        end
    end
    step.entered = true
end

function Machine:in_contact(step)
    for _, call in ipairs(step.calls) do
        if one_sided[call.op] then
            for _, m in ipairs(call.comm.members) do
                if not self.entered[call.comm.id .. " " .. m .. "!"] then return false end
            end
        elseif is_real(call) and is_message(call) then
            for _, msg in ipairs(messages(call)) do
                if not self.entered[pair_key(msg) .. (msg.send and "r" or "s")] then return false end
            end
        elseif is_real(call) then
            for _, m in ipairs(call.comm.members) do
                if not self.entered[call.comm.id .. " " .. m] then return false end
            end
        end
    end
    return true
end

function Machine:new_op(deps)
    local op = { deps = deps, signals = {}, colls = {}, pairs = {}, at = 1, signalled = 1 }
    self.ops[#self.ops + 1] = op
    return op
end

function Machine:enqueue(step)
    local of = {}
    for _, call in ipairs(step.calls) do
        if is_real(call) then
            local key = call.comm.id .. " " .. call.member
            local op = of[key]
            if not op then
                op = self:new_op { self.last[key] }
                of[key], self.last[key] = op, op
            end
            call.launch = op
            op.streams = op.streams or {}
            op.streams[call.stream] = true
            if one_sided[call.op] then
                op.signals[#op.signals + 1] = call
            elseif is_message(call) then
                for _, msg in ipairs(messages(call)) do
                    local slot = pair_key(msg) .. (msg.send and "s" or "r")
                    self.number[slot] = get(self.number, slot, 0) + 1
                    msg.slot = pair_key(msg) .. " " .. self.number[slot]
                    op.pairs[#op.pairs + 1] = msg
                end
            else
                self.number[key] = get(self.number, key, 0) + 1
                op.colls[#op.colls + 1] = { call = call, slot = call.comm.id .. "#" .. self.number[key] }
            end
        end
    end
    for _, op in pairs(of) do
        for stream in pairs(op.streams) do
            op.deps[#op.deps + 1] = self.tail[stream]
        end
    end
    for _, op in pairs(of) do
        for stream in pairs(op.streams) do self.tail[stream] = op end
    end
end

local function is_done(op) return not op or op.done end

local host = {}

function host.launch(self, step)
    if not step.entered then self:enter(step) end
    if not self:in_contact(step) then return false end
    self:enqueue(step)
    return true
end

function host.sync(self, step) return is_done(self.tail[step.stream]) end
function host.record(self, step) self.event[step.event] = self.tail[step.stream] return true end

function host.wait(self, step)
    local tail = self.tail[step.stream]
    self.tail[step.stream] = self:new_op { tail, self.event[step.event] }
    if not tail then self.tail[step.stream].deps = { self.event[step.event] } end
    return true
end

function host.barrier(self, step)
    if not step.number then
        self.came[step.member] = (self.came[step.member] or 0) + 1
        step.number = self.came[step.member]
    end
    for _, thread in ipairs(self.threads) do
        if (self.came[thread.member] or 0) < step.number then return false end
    end
    return true
end

function host.set(self, step) self.keys[step.key] = true return true end
function host.get(self, step) return self.keys[step.key] end

function host.kill() return false end

-- All members of the communicator that is made have to come.
function host.derive(self, step)
    for _, made in ipairs(step.made) do
        self.entered[made.comm.made_by .. " " .. made.member] = (self.entered[made.comm.made_by .. " " .. made.member] or 0) + (step.came and 0 or 1)
    end
    if not step.came then
        step.came, step.number = true, {}
        for i, made in ipairs(step.made) do step.number[i] = self.entered[made.comm.made_by .. " " .. made.member] end
    end
    for i, made in ipairs(step.made) do
        for _, m in ipairs(made.comm.makers) do
            if (self.entered[made.comm.made_by .. " " .. m] or 0) < step.number[i] then return false end
        end
    end
    return true
end

function host.destroy(self, step) return is_done(self.last[step.comm.id .. " " .. step.member]) end

-- Whether a collective is over: all are there, and agree as far as that takes.
function Machine:meet(coll)
    local slot = get(self.slot, coll.slot, {})
    local call = coll.call
    slot[call.member] = call
    local first
    for _, m in ipairs(call.comm.members) do
        local other = slot[m]
        if not other then return false end
        first = first or other
        if other.op ~= first.op or other.bytes ~= first.bytes or other.root ~= first.root then return false end
        if other.dtype ~= first.dtype or (reduces[first.op] and other.redop ~= first.redop) then
            self.disagreed = true
        end
    end
    return true
end

-- Signals are counted for each pair of ranks; a wait takes one.
function Machine:signal(call)
    local waits = call.op == "wait_signal"
    local key = ("%s %d>%d"):format(call.comm.id, waits and call.peer or call.member, waits and call.member or call.peer)
    local sent = get(self.signals, key, 0)
    if waits and sent == 0 then return false end
    self.signals[key] = sent + (waits and -1 or 1)
    self.signalled = true
    return true
end

function Machine:exchange(msg)
    local slot = get(self.slot, msg.slot, {})
    slot[msg.send and "send" or "recv"] = msg
    if not slot.send or not slot.recv then return false end
    -- NCCL copies what is sent to oneself, whatever the receive asks for.
    if slot.send.from ~= slot.send.to and slot.send.bytes ~= slot.recv.bytes then return false end
    if slot.send.dtype ~= slot.recv.dtype then self.disagreed = true end
    return true
end

function Machine:advance(op)
    for _, dep in pairs(op.deps) do
        if not dep.done then return false end
    end
    while op.signals[op.signalled] and self:signal(op.signals[op.signalled]) do op.signalled = op.signalled + 1 end
    if op.signals[op.signalled] then
        local moved = self.signalled
        self.signalled = false
        return moved
    end
    local before = op.at
    while op.colls[op.at] and self:meet(op.colls[op.at]) do op.at = op.at + 1 end
    if op.colls[op.at] then return op.at > before end
    local all = true
    for _, msg in ipairs(op.pairs) do
        if not self:exchange(msg) then all = false end
    end
    op.done = all
    local signalled = self.signalled
    self.signalled = false
    return all or signalled or op.at > before
end

function Machine:step()
    local moved = false
    for _, thread in ipairs(self.threads) do
        local step = thread.steps[thread.at]
        while step and host[step.kind](self, step) do
            moved, thread.at = true, thread.at + 1
            step = thread.steps[thread.at]
        end
        if step and step.kind == "launch" and not step.seen then step.seen, moved = true, true end
        if step and (step.kind == "barrier" or step.kind == "derive") and not step.seen then
            step.seen, moved = true, true
        end
    end
    local waiting = {}
    for _, op in ipairs(self.ops) do
        if self:advance(op) then moved = true end
        if not op.done then waiting[#waiting + 1] = op end
    end
    self.ops = waiting
    return moved
end

-- "pass", "hang", or "wrong" where calls that disagree come to an end; and the threads, with what they did.
function model.verdict(p)
    local fine, list = pcall(threads, p, communicators(p))
    if not fine then return nil end
    local machine = setmetatable({ n = p.n, threads = list, entered = {}, ops = {}, last = {}, tail = {},
                                   number = {}, slot = {}, event = {}, came = {}, keys = {}, signals = {} }, Machine)
    if p.wrong_init then return "hang", list end
    while machine:step() do end
    for _, thread in ipairs(machine.threads) do
        local step = thread.steps[thread.at]
        if step and step.kind ~= "kill" then return "hang", list end
    end
    if #machine.ops > 0 then return "hang", list end
    return machine.disagreed and "wrong" or "pass", list
end

-- How far a call has come: nil before it is made, then as PyTorch's recorder has it.
function model.state(step, call)
    local op = call.launch
    if not step.entered then return nil end
    if not op then return not is_real(call) and "completed" or "scheduled" end
    if op.done then return "completed" end
    for _, dep in pairs(op.deps) do
        if not dep.done then return "scheduled" end
    end
    return "started"
end

-- How many communicators a member comes to make after the beginning.
function model.made(list, member)
    local count = 0
    for _, thread in ipairs(list) do
        for _, step in ipairs(thread.steps) do
            for _, made in ipairs(step.made or {}) do count = count + (made.member == member and 1 or 0) end
        end
    end
    return count
end

-- The calls of each member, as flat lists, for who makes what how often.
function model.calls(p)
    local fine, list = pcall(threads, p, communicators(p))
    if not fine then return nil end
    local of = {}
    for _, thread in ipairs(list) do
        for _, step in ipairs(thread.steps) do
            for _, call in ipairs(step.calls or {}) do
                of[call.member] = of[call.member] or {}
                table.insert(of[call.member], call)
            end
        end
    end
    return of
end

model.communicators = communicators

-- All communicators, each once, in the order in which they are made.
function model.groups(p)
    local all, list, seen = communicators(p), {}, {}
    local names = { "world" }
    for _, c in ipairs(p.comms) do names[#names + 1] = c.name end
    for _, name in ipairs(names) do
        for m = 0, p.n - 1 do
            local comm = all[name][m]
            if comm and not seen[comm] then
                seen[comm] = true
                list[#list + 1] = comm
            end
        end
    end
    return list
end

return model
