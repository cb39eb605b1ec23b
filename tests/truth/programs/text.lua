-- A program as the text of a scenario, in its shape:
--   process  a process for each rank
--   threads  the same, with a second thread in each for the second body
--   thread   one process, ncclCommInitAll, a thread for each device
--   single   one process, ncclCommInitAll, one thread that makes all calls in groups
local text = {}

local lines, depth, program

local function put(format, ...) lines[#lines + 1] = ("    "):rep(depth) .. format:format(...) end

local function block(head, body, tail)
    put("%s", head)
    depth = depth + 1
    body()
    depth = depth - 1
    put("%s", tail or "end")
end

local function handles(expression)
    if program.shape ~= "single" then return expression end
    return (expression:gsub("[%a_][%w_]*", function(name)
        return program.handles[name] and name .. "[me]" or nil
    end))
end

local function receiver(expression)
    expression = handles(expression)
    return expression:find("^[%w_%[%]]+$") and expression or "(" .. expression .. ")"
end

local statement, statements, leaf = {}, nil, nil

local function options(node)
    local list = {}
    for _, key in ipairs { "count", "op", "root" } do
        local value = node[key == "op" and "redop" or key]
        if value then list[#list + 1] = key .. " = " .. handles(value) end
    end
    if program.shape == "thread" or program.shape == "single" or node.stream ~= "stream" then
        list[#list + 1] = "stream = " .. handles(node.stream)
    end
    return #list > 0 and ", { " .. table.concat(list, ", ") .. " }" or ""
end

function statement.call(node)
    local args = { handles(node.x) }
    if node.y then args[2] = handles(node.y) end
    if node.peer then args[#args + 1] = handles(node.peer) end
    local comm = receiver(node.comm)
    if comm:find "^%(" then
        put("local comm = %s", handles(node.comm))
        comm = "comm"
    end
    put("%s:%s(%s%s)", comm, node.op, table.concat(args, ", "), options(node))
end

function statement.sync(node) put("%s:sync()", handles(node.stream)) end
function statement.record(node) put("%s:record(%s)", handles(node.event), handles(node.stream)) end
function statement.wait(node) put("%s:wait(%s)", handles(node.stream), handles(node.event)) end
function statement.barrier() put("barrier()") end
function statement.set(node) put("store:set(%s, 1)", node.key) end
function statement.get(node) put("store:get(%s)", node.key) end
function statement.destroy(node) put("%s:destroy()", receiver(node.comm)) end
statement["return"] = function() put("return") end
function statement.invoke(node) put("%s(%s)", node.name, node.arg or "") end

function statement.loop(node)
    block(("for %s = 1, %s do"):format(node.var, node.to), function() statements(node.body) end)
end

function statement.only(node)
    if #node.body == 0 then
        block(("if not (%s) then"):format(node.cond), function() statements(node.other) end)
        return
    end
    block(("if %s then"):format(node.cond), function() statements(node.body) end,
          #node.other > 0 and "else" or "end")
    if #node.other > 0 then
        depth = depth + 1
        statements(node.other)
        depth = depth - 1
        put("end")
    end
end

function statement.group(node)
    if node.open then
        put("C.ncclGroupStart()")
        statements(node.body)
        block(("if not (%s) then"):format(node.open), function() put("C.ncclGroupEnd()") end)
    else
        block("nccl.group(function()", function() statements(node.body) end, "end)")
    end
end

-- The thread of all devices makes each statement for each of them, communication in a group.
local alone = { sync = true, record = true, wait = true, destroy = true }
local grouped

function leaf(node)
    local kind = node.kind
    if program.shape ~= "single" or grouped or kind == "loop" or kind == "invoke" then
        statement[kind](node)
    elseif alone[kind] then
        block("for me = 0, n - 1 do", function() statement[kind](node) end)
    else
        grouped = true
        block("nccl.group(function()", function()
            block("for me = 0, n - 1 do", function()
                if kind == "group" then statements(node.body) else statement[kind](node) end
            end)
        end, "end)")
        grouped = false
    end
end

function statements(body)
    for _, node in ipairs(body) do leaf(node) end
end

-- ---- what stands before ----

local function made(name, format, ...)
    local value = format:format(...)
    if program.shape == "single" then
        put("local %s = each(function(me) return %s end)", name, value)
    else
        put("local %s = %s", name, value)
    end
end

local function objects()
    local device = program.shape == "single" and ", { device = me }" or ""
    local stream = program.shape == "single" and "{ device = me }" or "()"
    if program.shape == "thread" or program.shape == "single" then made("stream", "cuda.stream%s", stream) end
    for _, comm in ipairs(program.comms) do
        local split = ("%s:split { color = %s }"):format(receiver(comm.parent), comm.color)
        if program.shape == "single" then
            put("local %s = {}", comm.name)
            block("nccl.group(function()", function()
                put("for me = 0, n - 1 do %s[me] = %s end", comm.name, split)
            end, "end)")
        else
            put("local %s = %s", comm.name, split)
        end
    end
    for _, name in ipairs(program.streams) do made(name, "cuda.stream%s", stream) end
    for _, name in ipairs(program.events) do made(name, "cuda.event%s", stream) end
    for _, name in ipairs(program.buffers) do
        local b = program.buffer[name]
        made(name, "cuda.buffer(%q, %d%s):fill(1)", b.dtype, b.count, device)
    end
    for _, f in ipairs(program.functions) do
        block(("local function %s(%s)"):format(f.name, f.param or ""), function() statements(f.body) end)
    end
end

local shapes = {}

function shapes.process()
    put("scenario { ranks = %d }", program.n)
    put("local me, n = rank, nranks")
    objects()
    statements(program.bodies[1])
end

function shapes.threads()
    put("scenario { ranks = %d }", program.n)
    put("local me, n = rank, nranks")
    objects()
    block("local other = spawn(function()", function() statements(program.bodies[2]) end, "end)")
    statements(program.bodies[1])
    put("other:join()")
end

function shapes.thread()
    put("scenario { ranks = 1, devices = %d, world = false }", program.n)
    block("local function work(world)", function()
        put("cuda.set_device(world.device)")
        put("local me, n = world.rank, world.nranks")
        objects()
        statements(program.bodies[1])
    end)
    put("local threads = {}")
    put("for i, comm in ipairs(nccl.init_all(%d)) do threads[i] = spawn(work, comm) end", program.n)
    put("for _, thread in ipairs(threads) do thread:join() end")
end

function shapes.single()
    put("scenario { ranks = 1, devices = %d, world = false }", program.n)
    put("local n, comms = %d, nccl.init_all(%d)", program.n, program.n)
    block("local function each(make)", function()
        put("local list = {}")
        put("for me = 0, n - 1 do list[me] = make(me) end")
        put("return list")
    end)
    made("world", "comms[me + 1]")
    objects()
    statements(program.bodies[1])
end

function text.of(p, about)
    lines, depth, program, grouped = {}, 0, p, false
    for _, line in ipairs(about) do put("-- %s", line) end
    shapes[p.shape]()
    return table.concat(lines, "\n") .. "\n"
end

return text
