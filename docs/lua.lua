-- Writes docs/lua.md from the annotations of lua/library/ncclscript.d.lua:
--   lua5.4 docs/lua.lua >docs/lua.md
-- A heading of the annotations ("-- ---- CUDA ----") becomes a heading, a class its fields, a function its
-- signature, text and options.

local lines = {}
for line in io.lines("lua/library/ncclscript.d.lua") do lines[#lines + 1] = line end

local out = {}
local function put(...) out[#out + 1] = string.format(...) end

local function plain(type) -- names of types without their prefix
  return (type:gsub("ncclscript%.", ""))
end

-- Splits "label? string # shown in reports" into name, whether it is optional, type and text. Types hold brackets
-- with blanks, and quoted words.
local function parts(text)
  local name, optional, rest = text:match("^([%w_%[%]]+)(%??)%s+(.*)$")
  local type, comment = rest, ""
  local at = rest:find(" # ", 1, true)
  if at then type, comment = rest:sub(1, at - 1), rest:sub(at + 3) end
  return name, optional == "?", plain(type), comment
end

local function cell(text)
  return (text:gsub("|", "\\|"))
end

local aliases = {} -- values by name: "sum" | "prod"; and the names in order

-- Writes a type in code; the name of an alias is a link to its values.
local function inline(type)
  if aliases[type] then return "[`" .. type .. "`](#values)" end
  return "`" .. type .. "`"
end

-- The same in the cell of a table.
local function code(type)
  return cell(inline(type))
end

local classes, order = {}, {} -- fields by class, for tables of options

-- The aliases: their values and the comment before them.
do
  local about, alias = {}, nil
  for _, line in ipairs(lines) do
    local name, values = line:match("^%-%-%-@alias ncclscript%.(%w+) ?(.*)")
    local more = line:match("^%-%-%-| (.*)")
    if name then
      alias = { name = name, values = values, about = table.concat(about, " ") }
      aliases[name], aliases[#aliases + 1] = alias, alias
    elseif alias and more then
      alias.values = alias.values .. (alias.values == "" and "" or " | ") .. more
    else
      alias = nil
    end
    local text = line:match("^%-%-%-([^@|].*)")
    if text then about[#about + 1] = text else about = {} end
  end
end

-- First pass: the classes with their fields and parents.
do
  local class
  for _, line in ipairs(lines) do
    local name, parent = line:match("^%-%-%-@class ncclscript%.([%w_%.]+):? ?([%w_%.]*)")
    if name then
      class = { name = name, parent = parent:match("ncclscript%.(.+)"), fields = {} }
      classes[name] = class
    elseif class and line:match("^%-%-%-@field ") then
      class.fields[#class.fields + 1] = line:match("^%-%-%-@field (.*)")
    elseif not line:match("^%-%-%-") then
      class = nil
    end
  end
end

-- The lines of a comment: prose in one paragraph, and an example, which is indented, as code.
local function put_about(about)
  local prose, code = {}, {}
  for _, line in ipairs(about) do
    if line:match("^    ") then code[#code + 1] = line:sub(5) else prose[#prose + 1] = line end
  end
  if #prose > 0 then put("%s\n", table.concat(prose, " ")) end
  if #code > 0 then put("```lua\n%s\n```\n", table.concat(code, "\n")) end
end

-- Lists the fields of a class, those of its parents after its own.
local function fields_of(name)
  local all, class = {}, classes[name]
  while class do
    for _, f in ipairs(class.fields) do all[#all + 1] = f end
    class = class.parent and classes[class.parent]
  end
  return all
end

local function table_of(fields)
  put("| field | type | |")
  put("| --- | --- | --- |")
  for _, f in ipairs(fields) do
    local name, optional, type, comment = parts(f)
    put("| `%s`%s | %s | %s |", name, optional and "" or " *", code(type), cell(comment))
  end
  put("")
end

-- An object ("comm") has a section with its fields and methods; a declaration, a table of its fields.
local function put_class(name, about, heading)
  put("## %s", heading or name)
  put("")
  put_about(about)
  local fields = fields_of(name)
  if #fields > 0 then table_of(fields) end
end

local function put_function(signature, about, params, returns)
  put("### `%s`", signature)
  put("")
  put_about(about)
  for _, p in ipairs(params) do
    local name, optional, type, comment = parts(p)
    local class = classes[type]
    local takes = class and (name == "options" or name == "config" or name == "when" or name == "declaration")
    put("- `%s`%s: %s%s", name, optional and " (optional)" or "", inline(type), comment ~= "" and ". " .. comment or "")
    if takes and not class.shown then
      for _, f in ipairs(fields_of(type)) do
        local fname, foptional, ftype, fcomment = parts(f)
        put("  - `%s`%s: %s%s", fname, foptional and "" or " (required)",
            inline(ftype), fcomment ~= "" and ". " .. fcomment or "")
      end
    end
  end
  for _, r in ipairs(returns) do
    local type, comment = r, ""
    local at = r:find(" # ", 1, true)
    if at then type, comment = r:sub(1, at - 1), r:sub(at + 3) end
    put("- returns %s%s", inline(plain(type)), comment ~= "" and ". " .. comment or "")
  end
  if #params + #returns > 0 then put("") end
end

put("# Lua reference")
put("")
put("docs/lua.lua generates this page from [the annotations](../lua/library/ncclscript.d.lua), which editors also read.")
put("`help(x)` at the prompt shows the same texts. A field with * is required. An option is optional unless it is marked")
put("required. The table `C` has every function of NCCL and of the CUDA runtime: `ncclscript explain FUNCTION`.")
put("")

local about, params, returns, class = {}, {}, {}, nil
local values = { rank = true, nranks = true, world = true, stream = true, param = true }
local function reset() about, params, returns = {}, {}, {} end

-- Sections of objects first shown by their class, as "comm"; option classes are shown where a function takes them.
local shown_alone = { declaration = "scenario", outcome = "outcome", run = "run", error = "error" }
local object = { store = true, thread = true, expect = true, fault = true, nccl = true, comm = true, premulsum = true,
                 window = true, registration = true, cuda = true, pointer = true, buffer = true, stream = true,
                 event = true }

put("## Names of every scenario")
put("")
put("| name | type | |")
put("| --- | --- | --- |")
do
  local type, comment
  for _, line in ipairs(lines) do
    local t = line:match("^%-%-%-@type (.*)")
    if t then
      local at = t:find(" # ", 1, true)
      type, comment = plain(at and t:sub(1, at - 1) or t), at and t:sub(at + 3) or ""
    elseif type then
      local name = line:match("^([%w_]+) =")
      if name and values[name] then put("| `%s` | %s | %s |", name, code(type), cell(comment)) end
      type = nil
    end
  end
end
put("")

put("## Values")
put("")
put("| type | values | |")
put("| --- | --- | --- |")
for _, alias in ipairs(aliases) do
  local values = {}
  for value in plain(alias.values):gmatch("[^%s|]+") do values[#values + 1] = "`" .. value .. "`" end
  put("| `%s` | %s | %s |", alias.name, table.concat(values, ", "), cell(alias.about))
end
put("")

local pending
for _, line in ipairs(lines) do
  local text = line:match("^%-%-%-([^@].*)")
  local name = line:match("^%-%-%-@class ncclscript%.([%w_%.]+)")
  if text then
    about[#about + 1] = text
  elseif name then
    pending = { name = name, about = about }
    reset()
    if shown_alone[name] then
      classes[name].shown = true
      put_class(name, pending.about, shown_alone[name])
    elseif object[name] then
      put_class(name, pending.about)
    end
  elseif line:match("^%-%-%-@param ") then
    params[#params + 1] = line:match("^%-%-%-@param (.*)")
  elseif line:match("^%-%-%-@return ") then
    returns[#returns + 1] = line:match("^%-%-%-@return (.*)")
  elseif line:match("^function ") then
    local signature = line:match("^function (.-%)) end")
    signature = signature:gsub("^stream_methods", "stream")
    put_function(signature, about, params, returns)
    reset()
  elseif not line:match("^%-%-%-") then
    reset()
  end
end

local text = table.concat(out, "\n") .. "\n"
text = text:gsub("\n\n\n+", "\n\n")
io.write(text)
