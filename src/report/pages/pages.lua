-- The pages of `ncclscript explain`, as data: classes/ with a file for each group of rules, codes.lua,
-- words.lua, exits.lua, functions.lua. This file reads and checks them and writes src/report/gen/pages.c. To change a
-- page: its file, then
--
--   lua5.4 src/report/pages/pages.lua [ROOT]          writes pages.c
--   lua5.4 src/report/pages/pages.lua --check [ROOT]  compares it; exits with 1 if it is stale
--
-- A page is a table: its name (of a family of functions: the group that it is listed in), its title in one
-- line, then texts, all of which may lack but one:
--
--   what      what happens
--   why       how it comes about, and what NCCL does
--   see       how to see it: here, and on a cluster
--   repair    what to change
--   scenario  the smallest one, runnable as it stands
--   ends      the verdict of the scenario; goes with it
--   finding   the one finding of the scenario; of a class itself, by default
--   also      names of pages to read next
--   names     other names of the page
--   functions, blocks, threads, findings, reference   of a family of functions

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local root, mode = here .. "/../../..", "write"
for _, word in ipairs(arg) do
  if word == "--check" then mode = "check" else root = word end
end

local fields = { "kind", "id", "title", "group", "what", "why", "see", "repair", "scenario", "ends",
                 "finding", "also", "names", "functions", "blocks", "threads", "findings", "reference" }
local verdicts = { pass = 1, hang = 1, wrong = 1, error = 1 }
local WIDTH = 104

local pages, groups, known, current = {}, {}, {}, nil

local function new(kind, page)
  page.kind, page.id, page.title = "NCS_PAGE_" .. kind:upper(), page[1], page[2]
  if kind == "functions" then page.group, page.id = page[1], page[2] end
  if kind == "class" then
    page.group = current
    page.finding = page.scenario and (page.finding or page.id)
  end
  page[1], page[2] = nil, nil
  pages[#pages + 1] = page
end

local env = {
  class = function(page) new("class", page) end,
  result = function(page) new("result", page) end,
  error_code = function(page) new("error", page) end,
  word = function(page) new("word", page) end,
  exit_status = function(page) new("exit", page) end,
  family = function(page) new("functions", page) end,
  group = function(group)
    current = group[1]
    groups[#groups + 1] = group
  end,
}
local classes = { -- in the order in which `explain` lists them
  "participants", "order", "arguments", "p2p", "groups", "communicators", "streams", "lifecycle",
  "abort", "nonblocking", "buffers", "numerics", "ranks",
}
local function read(file) assert(loadfile(here .. "/" .. file .. ".lua", "t", env))() end
for _, file in ipairs(classes) do read("classes/" .. file) end
for _, file in ipairs { "codes", "words", "exits", "functions" } do read(file) end

local paragraphs = { what = 1, why = 1, see = 1, repair = 1, scenario = 1, blocks = 1, threads = 1 }

-- ---- the checks ----

local allowed = {}
for _, field in ipairs(fields) do allowed[field] = true end

local function check_text(page, field)
  local text = page[field]
  if not paragraphs[field] then return end
  for line in (text .. "\n"):gmatch("(.-)\n") do
    assert(#line <= WIDTH, page.id .. ": " .. field .. " has a line beyond " .. WIDTH .. ": " .. line)
    assert(not line:find("%s$"), page.id .. ": " .. field .. " has blanks at the end of a line")
  end
end

local function name_it(name, id)
  assert(not known[name], "a name twice: " .. name)
  known[name] = id
end

-- The functions whose rows name the family.
local api = assert(loadfile(root .. "/src/api/api.lua"))()
local families = {}
for _, fn in ipairs(api.functions) do
  local list = families[fn.family] or {}
  if fn.lib ~= "ext" or fn.family then
    families[assert(fn.family, fn.name .. " has no family")], list[#list + 1] = list, fn.name
  end
end
local function members_of(family)
  return table.concat(assert(families[family], "no function is of the family " .. family), " ")
end

for _, group in ipairs(groups) do name_it(group[1], group[1]) end
for _, page in ipairs(pages) do
  for field in pairs(page) do
    assert(allowed[field], page.id .. ": no such field: " .. tostring(field))
    check_text(page, field)
  end
  assert(page.what, page.id .. ": says nothing")
  assert(not page.scenario == not page.ends, page.id .. ": scenario and ends go together")
  assert(not page.ends or verdicts[page.ends], page.id .. ": ends as what?")
  if page.kind == "NCS_PAGE_FUNCTIONS" then
    page.functions = members_of(page.id)
    for name in page.functions:gmatch("%S+") do name_it(name, page.id) end
  else
    name_it(page.id, page.id)
    for name in (page.names or ""):gmatch("%S+") do name_it(name, page.id) end
  end
end
for _, page in ipairs(pages) do
  for name in ((page.also or "") .. " " .. (page.findings or "")):gmatch("%S+") do
    assert(known[name], page.id .. ": names a page that is not there: " .. name)
  end
end

-- ---- writing ----

local lines = {
  "/* Generated by src/report/pages/pages.lua from the files beside it; do not edit. */",
  '#include "report/page.h"', "", "#include <stddef.h>", "",
}
local function line(fmt, ...) lines[#lines + 1] = select("#", ...) > 0 and fmt:format(...) or fmt end

local function quoted(s)
  return '"' .. s:gsub('[\\"]', "\\%0"):gsub("%?%?", "?\\?") .. '"'
end

local function write(field, text)
  if not paragraphs[field] then
    line("        .%s = %s,", field, field == "kind" and text or quoted(text))
    return
  end
  line("        .%s =", field)
  local all = {}
  for each in (text .. "\n"):gmatch("(.-)\n") do all[#all + 1] = each end
  while all[#all] == "" do all[#all] = nil end
  for i, each in ipairs(all) do
    line("            %s%s", (quoted(each):sub(1, -2) .. '\\n"'), i == #all and "," or "")
  end
end

line "const struct ncs_page ncs_pages[] = {"
for _, page in ipairs(pages) do
  line "    {"
  for _, field in ipairs(fields) do
    if page[field] then write(field, page[field]) end
  end
  line "    },"
end
line "    { 0 },"
line "};"
line ""
line "const struct ncs_page_group ncs_page_groups[] = {"
for _, group in ipairs(groups) do line("    { %s, %s },", quoted(group[1]), quoted(group[2])) end
line "    { 0 },"
line "};"

local text, path = table.concat(lines, "\n") .. "\n", root .. "/src/report/gen/pages.c"
if mode == "check" then
  local file = io.open(path)
  if not file or file:read("a") ~= text then
    io.stderr:write("stale: src/report/gen/pages.c; run lua5.4 src/report/pages/pages.lua\n")
    os.exit(1)
  end
else
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end
