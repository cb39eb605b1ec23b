-- Writes what jobs would leave: for each case of cases.lua the dumps of PyTorch's Flight Recorder as JSON
-- and as pickles, and NCCL's log with the calls of COLL and with those of CALL.
-- usage: make.lua OUTDIR; prints a line per case and format: folder, exit status, rule, culprits, call.
local out = arg[1]
local here = arg[0]:match("^(.*)/[^/]*$") or "."

local DTYPES = { float32 = { 7, "Float" }, float64 = { 8, "Double" }, int32 = { 2, "Int" } }
local OPS = { sum = 0, prod = 1, max = 2, min = 3 }
local NAMES = {
  AllReduce = "all_reduce", Broadcast = "broadcast", AllGather = "_all_gather_base",
  ReduceScatter = "_reduce_scatter_base", Reduce = "reduce", Send = "send", Recv = "recv",
}

-- ---- what each rank does: batches of calls ----

local function program(case, rank)
  local batches, open = {}, nil
  local job = { rank = rank, nranks = case.ranks }
  local function add(call)
    if open then
      open[#open + 1] = call
    else
      batches[#batches + 1] = { call }
    end
  end
  local function collective(fn)
    return function(o)
      add { fn = fn, comm = o.comm or 1, count = o.count or 1024, dtype = o.dtype or "float32",
            op = o.op or "sum", root = o.root or 0, line = o.line }
    end
  end
  for fn in pairs(NAMES) do
    job[fn] = collective(fn)
  end
  local function pair(fn)
    return function(peer, o)
      o = o or {}
      add { fn = fn, comm = 1, count = o.count or 8, dtype = "float32", op = "sum", root = peer, line = o.line }
    end
  end
  job.Send, job.Recv = pair "Send", pair "Recv"
  function job.group(body, unclosed)
    open = { grouped = true, unclosed = unclosed }
    batches[#batches + 1] = open
    body()
    open = nil
  end
  case.program(job)
  return batches
end

local function member(comm, rank)
  for i, r in ipairs(comm.ranks) do
    if r == rank then return i - 1 end
  end
end

-- ---- which of it comes about: each rank in order, a batch when all its calls are met ----

local function slot_of(comm, rank, call, nth)
  local me = member(comm, rank)
  if call.fn ~= "Send" and call.fn ~= "Recv" then
    return ("%d all %d"):format(call.comm, nth("all" .. call.comm)), #comm.ranks
  end
  local src, dst = me, call.root
  if call.fn == "Recv" then src, dst = call.root, me end
  local line = ("%d %d>%d"):format(call.comm, src, dst)
  return line .. " " .. nth(call.fn .. line), 2
end

local function play(case, ranks)
  local slots, at, changed = {}, {}, true
  for r, batches in pairs(ranks) do
    local counts = {}
    local function nth(key)
      counts[key] = (counts[key] or 0) + 1
      return counts[key]
    end
    at[r] = 1
    for _, b in ipairs(batches) do
      for _, call in ipairs(b) do
        local key, need = slot_of(case.comms[call.comm], r, call, nth)
        slots[key] = slots[key] or { need = need, there = 0, size = call.count .. call.dtype, root = call.root }
        call.slot = slots[key]
        call.differs = need > 2 and (call.slot.fn or call.fn) ~= call.fn
        call.slot.fn = call.slot.fn or call.fn
      end
    end
  end
  while changed do
    changed = false
    for r, batches in pairs(ranks) do
      local b = batches[at[r]]
      if b and not b.state then
        b.state = "started"
        for _, call in ipairs(b) do
          call.slot.there = call.slot.there + (b.unclosed and 0 or 1)
          call.slot.stuck = call.slot.stuck or call.differs or call.slot.size ~= call.count .. call.dtype
            or (call.fn == "Broadcast" and call.slot.root ~= call.root)
        end
        changed = true
      end
      local met = b and not case.frozen
      for _, call in ipairs(b or {}) do
        met = met and call.slot.there == call.slot.need and not call.slot.stuck
      end
      if met then
        b.state, at[r], changed = "completed", at[r] + 1, true
      end
    end
  end
  for _, batches in pairs(ranks) do
    for _, b in ipairs(batches) do b.state = b.state or "scheduled" end
  end
end

-- ---- files ----

local function write(path, text)
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

-- ---- Flight Recorder ----

local function entries(case, rank, batches)
  local list, seq, p2p = {}, {}, {}
  local function add(call, name, state, is_p2p, number)
    local comm = case.comms[call.comm]
    list[#list + 1] = {
      { "frames", { { { "name", "step" }, { "filename", "/opt/venv/lib/python3.11/site-packages/torch/distributed/c10d.py" },
                      { "line", 2501 }, object = true },
                    { { "name", "train" }, { "filename", case.name .. ".py" }, { "line", call.line or 1 }, object = true } } },
      { "record_id", #list }, { "pg_id", call.comm - 1 }, { "process_group", { comm.pg, comm.name } },
      { "collective_seq_id", is_p2p and (seq[call.comm] or 0) or number }, { "p2p_seq_id", is_p2p and number or (p2p[call.comm] or 0) },
      { "op_id", #list }, { "profiling_name", name }, { "time_created_ns", 1700000000000000000 + #list },
      { "input_sizes", { { call.count } } }, { "input_dtypes", { DTYPES[call.dtype][2] } },
      { "output_sizes", { { call.count } } }, { "output_dtypes", { DTYPES[call.dtype][2] } },
      { "state", state }, { "retired", state == "completed" }, { "timeout_ms", 600000 }, { "is_p2p", is_p2p }, object = true,
    }
  end
  for _, b in ipairs(batches) do
    local pair = b[1] and (b[1].fn == "Send" or b[1].fn == "Recv")
    for i, call in ipairs(b) do
      local counter = pair and p2p or seq
      if i == 1 or not b.grouped then counter[call.comm] = (counter[call.comm] or 0) + 1 end
      local me, name = member(case.comms[call.comm], rank), "nccl:" .. NAMES[call.fn]
      if pair then name = ("%s %d%s%d"):format(name, me, call.fn == "Send" and "->" or "<-", call.root) end
      add(call, name, b.grouped and "scheduled" or b.state, pair, counter[call.comm])
    end
    if b.grouped then
      add(b[1], "nccl:coalesced", b.state, pair, (pair and p2p or seq)[b[1].comm])
    end
  end
  local cut = case.cut and case.cut[rank] or 0
  return table.move(list, cut + 1, #list, 1, {})
end

local function dump(case, rank, batches)
  local config = { object = true }
  for _, comm in ipairs(case.comms) do
    if member(comm, rank) then
      config[#config + 1] = { comm.pg, { { "name", comm.pg }, { "desc", comm.name },
                                         { "ranks", "[" .. table.concat(comm.ranks, ", ") .. "]" }, object = true } }
    end
  end
  return { { "version", "2.10" }, { "comm_lib_version", "2.28.9" }, { "pg_config", config },
           { "pg_status", { object = true } }, { "entries", entries(case, rank, batches) }, object = true }
end

local function json(v)
  if type(v) ~= "table" then return type(v) == "string" and ("%q"):format(v) or tostring(v) end
  local parts = {}
  for i, item in ipairs(v) do
    if not v.object then
      parts[i] = json(item)
    elseif item[1] ~= "frames" then -- which PyTorch leaves out
      parts[#parts + 1] = json(item[1]) .. ": " .. json(item[2])
    end
  end
  local text = table.concat(parts, ", ")
  return v.object and "{" .. text .. "}" or "[" .. text .. "]"
end

-- As PyTorch's pickler does: texts are kept and fetched, and so are the frames that entries share.
local function pickle(root)
  local parts, kept, count = { "\x80\2" }, {}, 0
  local function add(s) parts[#parts + 1] = s end
  local function keep(key)
    add(count < 256 and "q" .. string.char(count) or "r" .. ("<I4"):pack(count))
    kept[key], count = count, count + 1
  end
  local function fetch(key)
    local n = kept[key]
    if n then add(n < 256 and "h" .. string.char(n) or "j" .. ("<I4"):pack(n)) end
    return n
  end
  local function put(v)
    if type(v) == "boolean" then
      add(v and "\x88" or "\x89")
    elseif type(v) == "string" then
      if not fetch("s" .. v) then add(("X%s"):format(("<s4"):pack(v))) keep("s" .. v) end
    elseif type(v) == "number" then
      if v < 256 then add("K" .. string.char(v))
      elseif v < 1 << 31 then add("J" .. ("<i4"):pack(v))
      else add("\x8a\8" .. ("<i8"):pack(v)) end
    elseif v.object then
      local shared = v[2] and v[2][1] == "filename" and json(v)
      if shared and fetch(shared) then return end
      add("}(")
      for _, item in ipairs(v) do put(item[1]) put(item[2]) end
      add("u")
      if shared then keep(shared) end
    else
      add("](")
      for _, item in ipairs(v) do put(item) end
      add("e")
    end
  end
  put(root)
  add(".")
  return table.concat(parts)
end

-- ---- NCCL's log ----

local function handle(c, rank) return 0x55aa0000 + c * 0x100 + rank end
local STREAM = 0x7fee0000

local function coll_line(rank, call, count)
  local pair = call.fn == "Send" or call.fn == "Recv"
  return ("node0:%d:%d [%d] NCCL INFO %s: opCount %x sendbuff %s recvbuff 0x7f%d0000 count %d datatype %d op %d root %d comm 0x%x [nranks=4] stream 0x%x"):format(
    100 + rank, 100 + rank, rank, call.fn, count, pair and "(nil)" or ("0x7e%d0000"):format(rank), rank, call.count,
    DTYPES[call.dtype][1], pair and 0 or OPS[call.op], call.root, handle(call.comm, rank), STREAM + rank)
end

local function call_line(rank, call)
  return ("node0:%d:%d NCCL CALL nccl%s(7e%d0000,7f%d0000,%d,%d,%d,%d,0x%x,0x%x)"):format(100 + rank, 100 + rank,
    call.fn, rank, rank, call.count, DTYPES[call.dtype][1], OPS[call.op], call.root, handle(call.comm, rank), STREAM + rank)
end

local function init_lines(case, rank, traced)
  local lines = {}
  for i, comm in ipairs(case.comms) do
    local me = member(comm, rank)
    local line = "node0:%d:%d [%d] NCCL INFO ncclCommInitRank comm 0x%x rank %d nranks %d cudaDev %d nvmlDev %d busId %d000 commId 0xfeed%x - Init %s"
    if comm.parent then
      line = "node0:%d:%d [%d] NCCL INFO ncclCommSplit comm 0x%x rank %d nranks %d cudaDev %d nvmlDev %d busId %d000 parent 0x"
        .. ("%x"):format(handle(comm.parent, rank)) .. " splitCount 1 color %d key 0 - Init %s"
    end
    if me and traced and comm.parent then
      lines[#lines + 1] = ("node0:%d:%d NCCL CALL ncclCommSplit(0x%x, %d, 0, 0x%x, %d, %d)"):format(100 + rank, 100 + rank,
        handle(comm.parent, rank), i, handle(i, rank), me, #comm.ranks)
    elseif me and traced then
      lines[#lines + 1] = ("node0:%d:%d NCCL CALL ncclCommInitRank(0x%x, %d, 0xfeed%x, %d, %d)"):format(100 + rank, 100 + rank,
        handle(i, rank), #comm.ranks, i, me, rank)
    elseif me then
      for _, word in ipairs { "START", case.absent and "" or "COMPLETE" } do
        if word ~= "" then
          lines[#lines + 1] = line:format(100 + rank, 100 + rank, rank, handle(i, rank), me, #comm.ranks, rank, rank, rank, i, word)
        end
      end
    end
  end
  return lines
end

local function log_of(case, rank, batches, traced)
  local lines = init_lines(case, rank, traced)
  local counts = {}
  local function add(s) lines[#lines + 1] = s end
  for _, b in ipairs(batches) do
    if traced and b.grouped then add(("node0:%d:%d NCCL CALL ncclGroupStart()"):format(100 + rank, 100 + rank)) end
    for _, call in ipairs(b) do
      counts[call.comm] = counts[call.comm] or 0
      add(traced and call_line(rank, call) or coll_line(rank, call, counts[call.comm]))
    end
    for c in pairs(counts) do counts[c] = counts[c] + (b[1] and b[1].comm == c and 1 or 0) end
    if traced and b.grouped and not b.unclosed then
      add(("node0:%d:%d NCCL CALL ncclGroupEnd()"):format(100 + rank, 100 + rank))
    end
  end
  return lines
end

-- All ranks in one file, in turn, with what others print between; the last line is cut off.
local function mingled(logs, ranks)
  local all, i, any = { "node0:100:100 [0] NCCL INFO NCCL version 2.28.9+cuda13.0" }, 1, true
  while any do
    any = false
    for r = 0, ranks - 1 do
      local line = logs[r] and logs[r][i]
      if line then
        all[#all + 1] = (i % 3 == 0 and "(Worker pid=%d) " or ""):format(r) .. line
        any = true
      end
    end
    all[#all + 1] = "epoch 1 step " .. i .. " loss 0.25"
    i = i + 1
  end
  return table.concat(all, "\n") .. "\nnode0:100:100 [0] NCCL INFO AllReduce: opCount 9 sendbuff 0x7e"
end

-- ---- all of it ----

local function expected(case, kind)
  local e = case.expect
  return e[kind] or e[kind:match("^fr") and "fr" or "logs"] or e
end

for _, case in ipairs(dofile(here .. "/cases.lua")) do
  case.ranks = case.ranks or 4
  local all = {}
  for r = 0, case.ranks - 1 do all[r + 1] = r end
  case.comms = case.comms or { { pg = "0", name = "default_pg", ranks = all } }
  local ranks = {}
  for r = 0, case.ranks - 1 do ranks[r] = program(case, r) end
  play(case, ranks)
  if case.died then ranks[case.died] = nil end
  local logs, traces = {}, {}
  for r, batches in pairs(ranks) do
    logs[r], traces[r] = log_of(case, r, batches, false), log_of(case, r, batches, true)
  end
  local kinds = {
    fr_json = function(dir)
      for r, b in pairs(ranks) do write(("%s/nccl_trace_rank_%d.json"):format(dir, r), json(dump(case, r, b))) end
    end,
    fr_pickle = function(dir)
      for r, b in pairs(ranks) do write(("%s/host7_nccl_trace_rank_%d"):format(dir, r), pickle(dump(case, r, b))) end
    end,
    log = function(dir) write(dir .. "/all.log", mingled(logs, case.ranks)) end,
    logs = function(dir)
      for r, lines in pairs(logs) do write(("%s/rank%d.log"):format(dir, r), table.concat(lines, "\n") .. "\n") end
    end,
    calls = function(dir) write(dir .. "/all.log", mingled(traces, case.ranks)) end,
  }
  for _, kind in ipairs { "fr_json", "fr_pickle", "log", "logs", "calls" } do
    local e = expected(case, kind)
    if e.exit then
      local dir = ("%s/%s.%s"):format(out, case.name, kind)
      assert(os.execute(("mkdir -p '%s'"):format(dir)))
      kinds[kind](dir)
      print(("%s.%s\t%d\t%s\t%s\t%s\t%s"):format(case.name, kind, e.exit, e.rule or "-", e.culprits or "-", e.call or "-",
                                             e.says or "-"))
    end
  end
end
