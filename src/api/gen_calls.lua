-- Writes the tables of rooms that handle calls generically: the simulator's functions, its
-- collectives and pairs, the collectives' steps of YAML, and the members of objects that YAML's
-- expressions may name (those that the editor stubs declare).
return function(given)
  local api, output, wrapped, parameters = given.api, given.output, given.wrapped, given.parameters

  -- The simulator has every function of the table, under the name sim_<function>.
  local function sim_functions()
    local line = output("src/sim/kernel/gen/functions.h", "/* " .. given.note)
    line " * The functions of the simulator, each named sim_ and the function's name. */"
    line "#ifndef NCS_SIM_GEN_FUNCTIONS_H"
    line "#define NCS_SIM_GEN_FUNCTIONS_H"
    line ""
    line "#include \"api/gen/api.h\""
    line ""
    line "#define SIM_FUNCTIONS(X) \\"
    local row = "   "
    for i, fn in ipairs(api.functions) do
      local word = (" X(%s)"):format(fn.name)
      if #row + #word > 96 then
        line("%s \\", row)
        row = "   "
      end
      row = row .. word
    end
    line("%s", row)
    line ""
    line "#define SIM_DECLARE(name) extern __typeof__(*((struct ncs_api *)0)->name) sim_##name;"
    line "SIM_FUNCTIONS(SIM_DECLARE)"
    line "#undef SIM_DECLARE"
    line ""
    line "#endif"
  end

  -- For each kind of argument, the member of the simulator's struct request that takes it.
  local members = { ["in"] = "send", out = "recv", count = "count", dtype = "dtype", redop = "op",
    root = "root", peer = "root", comm = "comm", stream = "stream" }

  local function sim_calls()
    local line = output("src/sim/nccl/gen/nccl_collectives.c", "/* " .. given.note)
    line " * Collectives, sends and receives: each is a request, whose row says the rest. */"
    line "#include \"sim/kernel/gen/functions.h\""
    line "#include \"sim/nccl/request.h\""
    for _, fn in ipairs(api.functions) do
      if fn.counted and not fn.one_sided then
        local set = { ".fn = NCS_FN_" .. (fn.same or fn.name) }
        for _, a in ipairs(fn.list) do
          local value = a.kind.name == "redop" and "(int)" .. a.name or a.name
          if a.kind.name == "inout" then
            set[#set + 1], set[#set + 2] = ".send = " .. value, ".recv = " .. value
          else
            set[#set + 1] = (".%s = %s"):format(assert(members[a.kind.name], a.kind.name), value)
          end
        end
        line ""
        wrapped(line, ("ncclResult_t sim_%s("):format(fn.name), given.split(parameters(fn)), ")", 4)
        line "{"
        wrapped(line, "    struct request r = { ", set, " };", 25)
        line "    return sim_request_submit(&r, NULL);"
        line "}"
      end
    end
  end

  -- The operands of a collective in YAML, and which of them a bare value means.
  local function operands(fn)
    local function at_root(blocks) return blocks:match("^root") ~= nil end
    if fn.composed then
      return at_root(fn.reads) and "0" or "REQUIRED", at_root(fn.writes) and "0" or "REQUIRED", "NULL"
    elseif fn.writes == "all" then
      return "SHIFTS", "REQUIRED", "\"recv\""
    elseif at_root(fn.reads) then
      return "EITHER", "EITHER", "\"send\""
    end
    return "REQUIRED", "0", "\"send\""
  end

  local function steps()
    local line = output("src/notation/gen/collectives.h", "/* " .. given.note)
    line " * The collectives as steps of YAML: their fields, and a row for each; for schema_steps.c. */"
    local verbs = {}
    for _, fn in ipairs(api.functions) do
      if fn.moves and not fn.same then
        local name = fn.lua:match("^comm:([%w_]+)$")
        local send, recv, alone = operands(fn)
        local fields = { ("SEND(%s)"):format(send), ("RECV(%s)"):format(recv) }
        for _, a in ipairs(fn.list) do
          local field = ({ redop = "OP", root = "ROOT" })[a.kind.name]
          if field then fields[#fields + 1] = field end
        end
        for _, field in ipairs { "COUNT", "COMM", "STREAM", "VERIFY", "END" } do
          fields[#fields + 1] = field
        end
        line("static const struct ncs_schema_field %s[] = {", name)
        line("    %s };", table.concat(fields, ", "))
        verbs[#verbs + 1] = ("    CALL(\"%s\", %s, %s, \"%s\")"):format(name, alone, name,
          (fn.moves:gsub("OP", "reduction"):gsub("ROOT", "the root")))
      end
    end
    line ""
    line "#define COLLECTIVES \\"
    for i, verb in ipairs(verbs) do line("%s%s", verb, i < #verbs and ", \\" or "") end
  end

  -- The members of each object, keyed by the object's local variable in the stubs.
  local function declared_members()
    local members, fields = {}, {}
    for text in io.lines(given.root .. "/lua/library/ncclscript.d.lua") do
      if text:find("^%-%-%-@class") then fields = {} end
      fields[#fields + 1] = text:match("^%-%-%-@field ([%a_]+)")
      local object = text:match("^local ([%w_]+) = {}")
      if object then members[object], fields = fields, {} end
      local owner, method = text:match("^function ([%w_]+):([%w_]+)%(")
      if owner then
        members[owner] = members[owner] or {} -- store, which no expression names
        table.insert(members[owner], method)
      end
    end
    return members
  end

  local things = { { "stream_methods", "STREAM" }, { "event", "EVENT" }, { "comm", "COMM" },
    { "buffer", "BUFFER" }, { "op", "OP" }, { "window", "WINDOW" }, { "thread", "THREAD" },
    { "graph", "GRAPH" } }

  local function members()
    local line = output("src/notation/gen/members.c", "/* Generated by src/api/gen.lua from " ..
      "lua/library/ncclscript.d.lua; do not edit. */")
    line "#include \"notation/schema.h\""
    line "#include \"notation/things.h\""
    local declared = declared_members()
    for _, thing in ipairs(things) do
      local names = {}
      for _, name in ipairs(assert(declared[thing[1]], thing[1])) do
        names[#names + 1] = ('"%s"'):format(name)
      end
      table.sort(names)
      names[#names + 1] = "NULL"
      line ""
      line("static const char *const of_%s[] = {", thing[2]:lower())
      wrapped(line, "    ", names, " };", 4)
    end
    line ""
    line "const char *const *const ncs_schema_members[] = {"
    line "    [NCS_THING_LET] = NULL, [NCS_THING_LOOP] = NULL,"
    for _, thing in ipairs(things) do
      line("    [NCS_THING_%s] = of_%s,", thing[2], thing[2]:lower())
    end
    line "};"
  end

  return { members = members, sim_functions = sim_functions, sim_calls = sim_calls, steps = steps }
end
