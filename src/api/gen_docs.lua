-- Writes gen.lua's files for people and editors: the stubs of the table C and the reference page.

return function(tools)

local api, output, wrapped, note = tools.api, tools.output, tools.wrapped, tools.note
local declare, parameters, root = tools.declare, tools.parameters, tools.root

local lua_keywords = {}
for word in ("and break do else elseif end false for function goto if in local nil not or " ..
             "repeat return then true until while"):gmatch("%a+") do
  lua_keywords[word] = true
end

local function lua_parameter(a)
  return lua_keywords[a.name] and a.name .. "_" or a.name
end

-- The arguments that a script passes (all but out-parameters) and its results (the code, then the
-- out-parameters).
local function script_view(fn)
  local takes, gives = {}, {}
  if not fn.is_void then
    gives[1] = fn.is_text and { name = "text", type = "string" } or { name = "rc", type = "integer" }
  end
  for _, a in ipairs(fn.list) do
    local entry = { name = lua_parameter(a), type = a.kind.script, kind = a.kind }
    local list = a.kind.out and gives or takes
    list[#list + 1] = entry
  end
  return takes, gives
end

local script_types = {
  comm = "ncclscript.comm", comms = "ncclscript.comm[]", event = "ncclscript.event",
  id = "ncclscript.id", id_or_nil = "ncclscript.id", ids = "ncclscript.id[]",
  integers = "integer[]", strings = "string[]", pointer = "ncclscript.pointer",
  stream = "ncclscript.stream", config = "ncclscript.config", window = "ncclscript.window",
  registration = "ncclscript.registration", param = "ncclscript.param", pool = "ncclscript.pool",
  hostfn = "fun(userData: any)",
  streamfn = "fun(stream: ncclscript.stream, status: integer, userData: any)",
  ipcmem = "string", ipcevent = "string",
}
for _, struct in ipairs(api.structs) do
  script_types[struct[1]] = "ncclscript." .. struct[2] .. (struct[1] == "waits" and "[]" or "")
end

-- The library may take NULL for it, or return NULL.
local takes_nil, gives_nil = { text = true }, {}
for _, word in ipairs { "comm", "comms", "window", "registration", "param", "pool" } do
  takes_nil[word], gives_nil[word] = true, true
end
for _, word in ipairs { "event", "integers", "pointer", "stream", "config", "id_or_nil", "ids",
                        "waits", "siminfo", "poolprops", "hostfn", "streamfn" } do
  takes_nil[word] = true
end

local function stub_type(entry, result)
  local name = script_types[entry.type] or entry.type
  local may = result and gives_nil or not result and takes_nil
  local is_nil = may[entry.type] or (not result and entry.kind.name == "text")
  if not is_nil then return name end
  return (name:sub(1, 3) == "fun" and "(" .. name .. ")" or name) .. "|nil"
end

-- Name and type in scripts of every field of a struct.
local function struct_fields(struct)
  local list = {}
  if struct[3] then
    for name, type in struct[3]:gmatch("([%w_]+):?(%S*)") do
      list[#list + 1] = { name, type ~= "" and type or "integer" }
    end
    return list
  end
  local file = assert(io.open(root .. "/include/ncclscript/cuda_tables.h"))
  local table_ = file:read("a"):match("define NCS_CUDA_PROPERTIES%b()(.-)\n\n")
  file:close()
  local types = { NUMBER = "integer", LIST = "integer[]", TEXT = "string", BYTES = "string" }
  for kind, inside in table_:gmatch("(%u+)(%b())") do
    local words = {}
    for word in inside:gmatch("[%w_]+") do words[#words + 1] = word end
    local named = (kind == "NUMBER" or kind == "LIST") and 2 or 1
    list[#list + 1] = { words[named], types[kind] }
  end
  assert(#list > 50, "cuda_tables.h is not as expected")
  return list
end

local function write_stubs()
  local line = output("lua/library/ncclscript_c.d.lua", "---@meta")
  line("-- %s", note)
  line ""
  line "-- The API as it is in C: arguments in C's order without the out-parameters; results are"
  line "-- the code, then the out-parameters. nil is NULL."
  line ""
  for _, alias in ipairs { "comm", "config", "event", "id", "param", "pointer", "pool",
                           "registration", "stream", "window" } do
    line("---@class %s", script_types[alias])
  end
  for _, struct in ipairs(api.structs) do
    line ""
    line("---@class ncclscript.%s", struct[2])
    for _, field in ipairs(struct_fields(struct)) do
      local keyword = lua_keywords[field[1]]
      line("---@field %s %s", keyword and ('["%s"]'):format(field[1]) or field[1], field[2])
    end
  end
  line ""
  line "---@class ncclscript.C"
  line "---@field [string] integer # constants by C's names"
  line "C = {}"
  for _, fn in ipairs(api.functions) do
    if fn.lib ~= "ext" then
      local takes, gives = script_view(fn)
      line ""
      line("---%s", fn.text)
      if fn.since then line("---NCCL %s", fn.since) end
      local names = {}
      for i, entry in ipairs(takes) do
        line("---@param %s %s # %s", entry.name, stub_type(entry), entry.kind.text)
        names[i] = entry.name
      end
      for _, entry in ipairs(gives) do
        line("---@return %s %s", stub_type(entry, true), entry.name)
      end
      line("function C.%s(%s) end", fn.name, table.concat(names, ", "))
    end
  end
end

local function write_structs(line)
  line("\n## Structs")
  for _, struct in ipairs(api.structs) do
    local names = {}
    for i, field in ipairs(struct_fields(struct)) do names[i] = "`" .. field[1] .. "`" end
    line("\n### %s\n", struct[2])
    wrapped(line, "", names, "", 0)
  end
end

local function write_reference()
  local line = output("reference", "# Functions")
  local titles = { nccl = "NCCL", cuda = "CUDA runtime", ext = "Stand-ins for kernels" }
  local lib
  line "\nIn scripts the arguments are in C's order without the out-parameters; the results are the"
  line "code, then the out-parameters. nil is NULL. A list is a table, and so is a struct; a function"
  line "that a stream runs is a function of the script's."
  for _, fn in ipairs(api.functions) do
    if fn.lib ~= lib then
      lib = fn.lib
      line("\n## %s", titles[lib])
    end
    local takes, gives = script_view(fn)
    local names, results = {}, {}
    for i, entry in ipairs(takes) do names[i] = entry.name end
    for i, entry in ipairs(gives) do results[i] = entry.name end
    line("\n### %s\n", fn.name)
    line("%s\n", fn.text)
    line("    %s(%s)", declare(fn.result, fn.name), parameters(fn))
    if lib ~= "ext" then
      line("    %sC.%s(%s)", fn.is_void and "" or ("local %s = "):format(table.concat(results, ", ")),
        fn.name, table.concat(names, ", "))
    end
    local facts = {}
    if fn.since then facts[#facts + 1] = "NCCL " .. fn.since end
    if fn.lua then facts[#facts + 1] = "in scripts `" .. fn.lua .. "`" end
    if fn.counted then facts[#facts + 1] = "a numbered call" end
    if fn.grouped then facts[#facts + 1] = "may be queued in a group" end
    if #facts > 0 then line("\n%s.", (table.concat(facts, "; "):gsub("^%l", string.upper))) end
  end
  write_structs(line)
end

return { stubs = write_stubs, reference = write_reference }
end
