-- A program as a tree of statements. Arguments are expressions of Lua, as text: one text is printed for the
-- run and evaluated for the model, so that both have the same program. `me` is the rank of the world.
local tree = {}

-- ---- statements ----

function tree.call(comm, op, args)
    local node = { kind = "call", comm = comm, op = op }
    for key, value in pairs(args or {}) do node[key] = value end
    return node
end

function tree.loop(var, to, body) return { kind = "loop", var = var, to = tostring(to), body = body } end
function tree.group(body) return { kind = "group", body = body } end
function tree.sync(stream) return { kind = "sync", stream = stream or "stream" } end
function tree.record(event, stream) return { kind = "record", event = event, stream = stream } end
function tree.wait(event, stream) return { kind = "wait", event = event, stream = stream } end
function tree.barrier() return { kind = "barrier" } end
function tree.set(key) return { kind = "set", key = key } end
function tree.get(key) return { kind = "get", key = key } end
function tree.invoke(name, arg) return { kind = "invoke", name = name, arg = arg } end
function tree.leave() return { kind = "return" } end
function tree.stop() return { kind = "break" } end
function tree.destroy(comm) return { kind = "destroy", comm = comm } end
function tree.abort(comm) return { kind = "abort", comm = comm } end
function tree.kill() return { kind = "kill" } end
function tree.scope(body) return { kind = "scope", body = body } end

-- A communicator of others, made in the midst of the program: of `parent` by color, or without its last rank.
function tree.derive(comm) return { kind = "derive", comm = comm } end

-- body where the condition holds, otherwise `other`
function tree.only(cond, body, other) return { kind = "only", cond = cond, body = body, other = other or {} } end

-- The same where the condition is one for all ranks: what is inside need not be calls where a thread has several.
function tree.when(cond, body)
    local node = tree.only(cond, body)
    node.alike = true
    return node
end

-- ---- programs ----

local Program = {}
Program.__index = Program

-- What a shape is: whether a process has one rank, several threads of which each has one (`spawned`), or one
-- thread that has several (`joint`); `processes` of a program of n ranks.
tree.shapes = {
    process = {},
    ids = {},
    threads = { second = true },
    thread = { spawned = true, all = true },
    workers = { spawned = true },
    single = { joint = true, all = true },
    hosts = { joint = true },
}

local function processes(n, shape)
    if shape.all then return 1 end
    if not shape.spawned and not shape.joint then return n end
    for d = n // 2, 1, -1 do
        if n % d == 0 and d <= 8 then return d end
    end
end

function tree.program(n, name)
    local shape = tree.shapes[name]
    return setmetatable({ n = n, name = name, joint = shape.joint, spawned = shape.spawned, all = shape.all,
                          second = shape.second, processes = processes(n, shape), comms = {}, streams = {}, locals = {}, events = {}, buffers = {},
                          functions = {}, bodies = { {} }, handles = { world = true, stream = true },
                          buffer = {}, polled = {} }, Program)
end

function Program:split(name, color, parent)
    self.comms[#self.comms + 1] = { name = name, color = color, parent = parent or "world" }
    self.handles[name] = true
    return name
end

-- One that a statement makes; `polled`: it does not block.
function Program:derived(how, parent, color, polled)
    local name = "sub" .. #self.comms
    self.comms[#self.comms + 1] = { name = name, color = color, parent = parent, how = how, polled = polled }
    self.handles[name] = true
    self.polled[name] = polled
    return name
end

function Program:new_window(dtype, count)
    local name = self:new_buffer(dtype, count)
    self.buffer[name].window = "w" .. #self.buffers
    self.handles[self.buffer[name].window] = true
    return name, self.buffer[name].window
end

function Program:new_stream()
    local name = "s" .. #self.streams + 1
    self.streams[#self.streams + 1] = name
    self.handles[name] = true
    return name
end

function Program:new_event()
    local name = "e" .. #self.events + 1
    self.events[#self.events + 1] = name
    self.handles[name] = true
    return name
end

-- What a rank computes from its number, before all else.
function Program:new_local(name, expr)
    self.locals[#self.locals + 1] = { name = name, expr = expr }
    self.handles[name] = true
    return name
end

function Program:new_buffer(dtype, count, name)
    if not name or self.handles[name] then name = (name or "x") .. #self.buffers + 1 end
    self.buffers[#self.buffers + 1] = name
    self.buffer[name] = { dtype = dtype, count = count }
    self.handles[name] = true
    return name
end

function Program:new_function(name, param, body)
    self.functions[#self.functions + 1] = { name = name, param = param, body = body }
    return name
end

-- ---- expressions ----

local loaded = {}

function tree.eval(text, env)
    local fn = loaded[text]
    if not fn then
        fn = assert(load("local env = ... local _ENV = env return " .. text, text))
        loaded[text] = fn
    end
    return fn(env)
end

-- Each statement of a body and of all bodies in it: fn(list, position, loops around it, groups around it).
function tree.each(body, fn, loops, group)
    loops = loops or {}
    for i = 1, #body do
        local node = body[i]
        fn(body, i, loops, group)
        local inner = loops
        if node.kind == "loop" then
            inner = { table.unpack(loops) }
            inner[#inner + 1] = node
        end
        if node.body then tree.each(node.body, fn, inner, node.kind == "group" and node or group) end
        if node.other then tree.each(node.other, fn, inner, group) end
    end
end

return tree
