-- What PyTorch's Flight Recorder would leave of a program that hangs: a pickle for each rank, made from what
-- the model says that each call came to.
local model = require "model"

local dumps = {}

-- What is not in a dump cannot be found in it: roots, operators, what hosts wait for, groups that stay open,
-- ranks that died.
local hidden = {}
for name in ("abort aborted barrier derive destroy group group_end init key kill killed no_barrier no_group no_key " ..
             "op operator root unsynced"):gmatch "%S+" do hidden[name] = true end

-- A call that has been made and is not over.
local function some_wait(threads)
    for _, thread in ipairs(threads) do
        for _, step in ipairs(thread.steps) do
            local state = step.kind == "launch" and step.calls[1] and model.state(step, step.calls[1])
            if state and state ~= "completed" then return true end
        end
    end
    return false
end

-- PyTorch has a process for each rank.
function dumps.can(p, truth, verdict, threads)
    for _, comm in ipairs(p.comms) do
        if comm.how then return false end
    end
    return not p.signals and verdict == "hang" and not hidden[truth.name] and truth.classes[1] ~= "host-wait" and not p.joint and not p.spawned and some_wait(threads)
end

-- ---- pickles: dictionaries are lists of pairs, with `dict` ----

local pickle

local function items(v)
    local parts = {}
    for i, item in ipairs(v) do parts[i] = v.dict and pickle(item[1]) .. pickle(item[2]) or pickle(item) end
    return table.concat(parts)
end

function pickle(v)
    if type(v) == "boolean" then return v and "\x88" or "\x89" end
    if type(v) == "string" then return "X" .. ("<s4"):pack(v) end
    if type(v) == "number" then
        return v < 256 and "K" .. string.char(v) or v < 1 << 31 and "J" .. ("<i4"):pack(v) or "\x8a\8" .. ("<i8"):pack(v)
    end
    return v.dict and "}(" .. items(v) .. "u" or "](" .. items(v) .. "e"
end

-- ---- entries ----

local names = { all_reduce = "all_reduce", broadcast = "broadcast", reduce = "reduce", all_gather = "_all_gather_base",
                reduce_scatter = "_reduce_scatter_base", all_to_all = "all_to_all", gather = "gather",
                scatter = "scatter", send = "send", recv = "recv" }
local types = { float32 = "Float", float16 = "Half", bfloat16 = "BFloat16", int32 = "Int", float64 = "Double" }
local sent = { reduce_scatter = true, scatter = true, all_to_all = true }
local received = { all_gather = true, gather = true, all_to_all = true }

local Recorder = {}
Recorder.__index = Recorder

function Recorder:add(call, name, state, number)
    local pair = call.op == "send" or call.op == "recv"
    local id, size = call.comm.id, #call.comm.members
    self.list[#self.list + 1] = {
        dict = true,
        { "frames", { { dict = true, { "name", "train" }, { "filename", "train.py" }, { "line", call.node.line } } } },
        { "record_id", #self.list }, { "pg_id", self.group[id] }, { "process_group", { self.group[id] .. "", id } },
        { "collective_seq_id", pair and (self.collectives[id] or 0) or number },
        { "p2p_seq_id", pair and number or (self.messages[id] or 0) }, { "op_id", #self.list },
        { "profiling_name", name }, { "time_created_ns", 1700000000000000000 + #self.list },
        { "input_sizes", { { call.count * (sent[call.op] and size or 1) } } }, { "input_dtypes", { types[call.dtype] } },
        { "output_sizes", { { call.count * (received[call.op] and size or 1) } } },
        { "output_dtypes", { types[call.dtype] } }, { "state", state }, { "retired", state == "completed" },
        { "timeout_ms", 600000 }, { "is_p2p", pair },
    }
end

function Recorder:step(step)
    local grouped, counted = #step.calls > 1, {}
    for i, call in ipairs(step.calls) do
        local state = model.state(step, call)
        if not state then return end
        local pair = call.op == "send" or call.op == "recv"
        local counter, id = pair and self.messages or self.collectives, call.comm.id
        local key = id .. tostring(pair) -- a group counts once
        if not counted[key] then counter[id], counted[key] = (counter[id] or 0) + 1, true end
        local name = "nccl:" .. names[call.op]
        if pair then
            name = ("%s %d%s%d"):format(name, call.comm.rank[call.member], call.op == "send" and "->" or "<-",
                                        call.comm.rank[call.peer])
        end
        self:add(call, name, grouped and "scheduled" or state, counter[id])
        if grouped and i == #step.calls then self:add(call, "nccl:coalesced", state, counter[id]) end
    end
end

function dumps.of(p, threads, member)
    local recorder = setmetatable({ list = {}, collectives = {}, messages = {}, group = {} }, Recorder)
    local config, count = { dict = true }, 0
    for _, made in ipairs(model.groups(p)) do
        recorder.group[made.id], count = count, count + 1
        if made.rank[member] then
            local ranks = "[" .. table.concat(made.members, ", ") .. "]"
            config[#config + 1] = { count - 1 .. "", { dict = true, { "name", count - 1 .. "" }, { "desc", made.id },
                                                       { "ranks", ranks } } }
        end
    end
    for _, thread in ipairs(threads) do
        for _, step in ipairs(thread.member == member and thread.steps or {}) do
            if step.kind == "launch" then recorder:step(step) end
        end
    end
    return "\x80\2" .. pickle { dict = true, { "version", "2.10" }, { "comm_lib_version", "2.30.7" },
                                { "pg_config", config }, { "pg_status", { dict = true } },
                                { "entries", recorder.list } } .. "."
end

return dumps
