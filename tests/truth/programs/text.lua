-- A program as the text of a scenario, in its shape:
--   process  a process for each rank, with the world that a scenario has
--   ids      the same, with a world of its own id
--   threads  a process for each rank, with a second thread for the second body
--   thread   one process, ncclCommInitAll, a thread for each device
--   workers  some processes, in each a thread for each of its devices that joins by the id
--   single   one process, ncclCommInitAll, one thread that makes all calls in groups
--   hosts    some processes, each as `single`, joined by the id
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
    if not program.joint then return expression end
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
    for _, key in ipairs { "count", "first", "op", "root" } do
        local value = node[key == "op" and "redop" or key]
        if value then list[#list + 1] = key .. " = " .. handles(value) end
    end
    if program.spawned or program.joint or node.stream ~= "stream" then
        list[#list + 1] = "stream = " .. handles(node.stream)
    end
    return #list > 0 and ", { " .. table.concat(list, ", ") .. " }" or ""
end

function statement.call(node)
    local args = {}
    if node.x then args[1] = handles(node.x) .. (node.part and (":part(%s, %s)"):format(node.part, node.parts or "n") or "") end
    if node.y then args[2] = handles(node.y) end
    if node.peer then args[#args + 1] = handles(node.peer) end
    if node.window then args[#args + 1] = handles(node.window) end
    local comm = receiver(node.comm)
    if comm:find "^%(" then
        put("local comm = %s", handles(node.comm))
        comm = "comm"
    end
    put("%s:%s(%s%s)", comm, node.op, table.concat(args, ", "), options(node))
    node.line = #lines
    if program.polled[node.comm] then put("%s:wait_ready()", comm) end
end

function statement.sync(node) put("%s:sync()", handles(node.stream)) end
function statement.record(node) put("%s:record(%s)", handles(node.event), handles(node.stream)) end
function statement.wait(node) put("%s:wait(%s)", handles(node.stream), handles(node.event)) end
function statement.abort(node) put("%s:abort()", receiver(node.comm)) end
function statement.kill() put("fault.kill()") end
function statement.scope(node) block("do", function() statements(node.body) end) end

function statement.derive(node)
    local made
    for _, comm in ipairs(program.comms) do
        if comm.name == node.comm then made = comm end
    end
    local options = made.how == "shrink" and "({ n - 1 })" or
        (" { color = %s%s }"):format(made.color, made.polled and ", blocking = false" or "")
    local call = receiver(made.parent) .. ":" .. made.how .. options
    if program.joint then
        put("local %s = {}", made.name)
        block("nccl.group(function()", function()
            put("for me = first, last do %s[me] = %s end", made.name, call)
        end, "end)")
    else
        put("local %s = %s", made.name, call)
        node.line = #lines
        if made.polled then put("%s:wait_ready()", made.name) end
    end
end

function statement.barrier() put("barrier()") end
function statement.set(node) put("store:set(%s, 1)", node.key) end
function statement.get(node) put("store:get(%s)", node.key) end
function statement.destroy(node) put("%s:destroy()", receiver(node.comm)) end
statement["return"] = function() put("return") end
statement["break"] = function() put("break") end
function statement.invoke(node) put("%s(%s)", node.name, node.arg or "") end

function statement.loop(node)
    block(("for %s = 1, %s do"):format(node.var, handles(node.to)), function() statements(node.body) end)
end

function statement.only(node)
    local cond = handles(node.cond)
    if #node.body == 0 then
        block(("if not (%s) then"):format(cond), function() statements(node.other) end)
        return
    end
    block(("if %s then"):format(cond), function() statements(node.body) end,
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
local inner = { loop = true, invoke = true, scope = true, derive = true, barrier = true }
local grouped

function leaf(node)
    local kind = node.kind
    if not program.joint or grouped or inner[kind] or node.alike then
        statement[kind](node)
    elseif alone[kind] then
        block("for me = first, last do", function() statement[kind](node) end)
    else
        grouped = true
        block("nccl.group(function()", function()
            block("for me = first, last do", function()
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
    if program.joint then
        put("local %s = each(function(me) return %s end)", name, value)
    else
        put("local %s = %s", name, value)
    end
end

local function objects()
    local device = program.joint and ", { device = me }" or ""
    local stream = program.joint and "{ device = me }" or "()"
    for _, value in ipairs(program.locals) do made(value.name, "%s", handles(value.expr)) end
    if program.spawned or program.joint then made("stream", "cuda.stream%s", stream) end
    for _, comm in ipairs(program.comms) do
        if comm.how then goto later end
        local split = ("%s:split { color = %s }"):format(receiver(comm.parent), handles(comm.color))
        if program.joint then
            put("local %s = {}", comm.name)
            block("nccl.group(function()", function()
                put("for me = first, last do %s[me] = %s end", comm.name, split)
            end, "end)")
        else
            put("local %s = %s", comm.name, split)
        end
        ::later::
    end
    for _, name in ipairs(program.streams) do made(name, "cuda.stream%s", stream) end
    for _, name in ipairs(program.events) do made(name, "cuda.event%s", stream) end
    for _, name in ipairs(program.buffers) do
        local b = program.buffer[name]
        made(name, "cuda.buffer(%q, %d%s):fill(0)", b.dtype, b.count, b.window and ', { memory = "nccl" }' or device)
        if b.window then put("local %s = world:window(%s, { symmetric = true })", b.window, name) end
    end
    for _, f in ipairs(program.functions) do
        block(("local function %s(%s)"):format(f.name, f.param or ""), function() statements(f.body) end)
    end
end

local function declare()
    local world = (program.joint or program.spawned or program.name == "ids") and ", world = false" or ""
    local devices = (program.joint or program.spawned) and (", devices = %d"):format(program.n) or ""
    put("scenario { ranks = %d%s%s }", program.processes, devices, world)
end

-- The world: that of the scenario, that of init-all, or of an id that the first process makes.
local function share_id()
    if program.all then return end
    put("if rank == 0 then store:set(\"id\", nccl.unique_id()) end")
    put("local id = store:get(\"id\")")
end

-- Joins the world, or does something wrong about that.
local function join(me)
    local wrong = program.wrong_init or {}
    local odd, size = ("%s == %d"):format(me, wrong.rank or 0), program.n .. ""
    if wrong.what == "absent" then put("if %s then return end", odd) end
    if wrong.what == "own id" then put("local id = %s and nccl.unique_id() or id", odd) end
    if wrong.what == "size" then size = ("%s and %d or %d"):format(odd, program.n - 1, program.n) end
    if wrong.what == "size" then put("if %s then sleep(1) end", odd) end -- who comes later would get an error
    put("local world = nccl.init_rank(%s, id, %s)", size, me)
end

local function one_per_process()
    if program.name == "ids" then
        share_id()
        join("rank")
    end
    put("local me, n = rank, nranks")
    objects()
    if program.second then
        block("local other = spawn(function()", function() statements(program.bodies[2]) end, "end)")
    end
    statements(program.bodies[1])
    if program.second then put("other:join()") end
end

local function one_per_thread()
    local n, each = program.n, program.n // program.processes
    share_id()
    block(program.all and "local function work(world)" or "local function work(me)", function()
        put("cuda.set_device(%s)", program.all and "world.device" or "me")
        if program.all then
            put("local me, n = world.rank, world.nranks")
        else
            put("local n = %d", n)
            join("me")
        end
        objects()
        statements(program.bodies[1])
    end)
    put("local threads = {}")
    if program.all then
        put("for i, comm in ipairs(nccl.init_all(%d)) do threads[i] = spawn(work, comm) end", n)
    else
        put("for i = 1, %d do threads[i] = spawn(work, %d * rank + i - 1) end", each, each)
    end
    put("for _, thread in ipairs(threads) do thread:join() end")
end

local function several_per_thread()
    local n, each = program.n, program.n // program.processes
    share_id()
    put("local n, first, last = %d, %d * rank, %d * rank + %d", n, each, each, each - 1)
    block("local function each(make)", function()
        put("local list = {}")
        put("for me = first, last do list[me] = make(me) end")
        put("return list")
    end)
    if program.all then
        put("local comms = nccl.init_all(%d)", n)
        made("world", "comms[me + 1]")
    else
        put("local world = {}")
        block("nccl.group(function()", function()
            block("for me = first, last do", function()
                put("cuda.set_device(me)")
                put("world[me] = nccl.init_rank(n, id, me)")
            end)
        end, "end)")
    end
    objects()
    statements(program.bodies[1])
end

function text.of(p, about)
    lines, depth, program, grouped = {}, 0, p, false
    for _, line in ipairs(about) do put("-- %s", line) end
    declare()
    if p.joint then several_per_thread()
    elseif p.spawned then one_per_thread()
    else one_per_process() end
    return table.concat(lines, "\n") .. "\n"
end

return text
