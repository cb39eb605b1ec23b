-- Marks a step of a lesson. Each function returns nothing if all is right, otherwise what is wrong.
--
-- `step.calls` lists what every rank must have called since the task was set:
--
--   calls = { { "ncclAllReduce", comm = "world", op = "sum", ranks = { 0, 1 }, times = 2 } }
--
-- The first item is a function of C, or a list of which one will do. Other fields are those of s.made; a list of values
-- means one of them. Without `fills = true` nobody may have written the values by hand.

local function is_one_of(got, want)
  if type(want) ~= "table" then return got == want end
  for _, each in ipairs(want) do
    if got == each then return true end
  end
  return false
end

local special = { [1] = true, ranks = true, times = true }

local function fits(call, want)
  local failed = call.rc and call.rc ~= 0 and call.rc ~= 7 -- 7: ncclInProgress
  if not is_one_of(call.fn, want[1]) or failed then return false end
  for field, value in pairs(want) do
    if not special[field] and not is_one_of(call[field], value) then return false end
  end
  return true
end

-- "ncclAllReduce" as a learner types it: "all_reduce".
local function method(fn)
  local name = fn:gsub("^nccl", ""):gsub("^Comm(%u)", "%1"):gsub("^cuda", ""):gsub("^AlltoAll", "AllToAll")
  return (name:gsub("(%l)(%u)", "%1_%2"):lower())
end

local function text_of(value, convert)
  if type(value) ~= "table" then return convert and convert(value) or tostring(value) end
  local texts = {}
  for i, each in ipairs(value) do texts[i] = convert and convert(each) or tostring(each) end
  return table.concat(texts, " or ")
end

local function described(want)
  local fields, details = {}, {}
  for field in pairs(want) do
    if not special[field] then fields[#fields + 1] = field end
  end
  table.sort(fields)
  for _, field in ipairs(fields) do details[#details + 1] = field .. " = " .. text_of(want[field]) end
  return text_of(want[1], method) .. (#details > 0 and " with " .. table.concat(details, ", ") or "")
end

local function missing(want, s, rank)
  local times = 0
  for _, call in ipairs(s.made(rank)) do
    if fits(call, want) then times = times + 1 end
  end
  local wanted = want.times or 1
  if times >= wanted then return nil end
  return ("the task needs %s%s, and rank %d made %s; `:again` begins the step anew"):format(
    wanted > 1 and wanted .. " calls of " or "", described(want), rank, times == 0 and "no such call" or "only " .. times)
end

local function calls(step, s)
  local all = {}
  for r = 0, s.nranks - 1 do
    all[#all + 1] = r
    if not step.fills and s.filled(r) > 0 then
      return ("rank %d has written values by hand: let the call bring them. `:again` begins the step anew"):format(r)
    end
  end
  for _, want in ipairs(step.calls) do
    for _, r in ipairs(want.ranks or all) do
      local text = missing(want, s, r)
      if text then return text end
    end
  end
end

-- Words around an answer: "the count", "ranks 2 and 3".
local around = { a = "", an = "", the = "", ["and"] = "", rank = "", ranks = "" }

-- Blanks, quotes, commas and the case of letters do not matter in an answer, nor words around it.
local function normal(text)
  return (tostring(text):lower():gsub("%a+", around):gsub("[%s,\"']", ""))
end

-- "107", "107.0", "50 ms", "50ms", "8 elements"; nil: no number.
local function number_of(text)
  return tonumber(text) or tonumber(tostring(text):match("^%s*([%d.]+)%s*%a+%s*$"))
end

-- A question is answered before the calls that would show the answer. `step.wrong` has replies to typical answers.
local function answer(step, s, given)
  for r = 0, s.nranks - 1 do
    for _, call in ipairs(s.made(r)) do
      if call.fn:find("^nccl") and not call.fn:find("Get") then
        return "answer before you make the call, then make it and look; `:again` begins the step anew"
      end
    end
  end
  if normal(given) == normal(step.answer) then return nil end
  local number = number_of(given)
  if number and number == tonumber(step.answer) then return nil end
  for _, wrong in ipairs(step.wrong or {}) do
    local same = normal(given) == normal(wrong[1]) or (number and number == tonumber(wrong[1]))
    if same and wrong[2] then return wrong[2] end
  end
  return "that is not the answer; `:hint` helps"
end

-- For lessons: true if the buffer `name` holds what it should on all ranks, or on those of the list. `want` is the same
-- for all ranks, as for s.holds, or a function that returns it for a rank; a function of the element is inside it.
function all_hold(s, name, want, ranks)
  for i = 1, ranks and #ranks or s.nranks do
    local r = ranks and ranks[i] or i - 1
    local mine = want
    if type(want) == "function" then mine = want(r) end
    if not s.holds(r, name, mine) then return false end
  end
  return true
end

-- For lessons: true if a rank waits, or work on a stream waits for a rank that has not made its call.
function unfinished(s)
  return #s.waiting > 0 or s.streams() > 0
end

-- For lessons with files: true if the latest command of the shell was `ncclscript NAME ...` with all these words.
function ran(s, name, ...)
  local text = s.command and s.command.text or ""
  if not text:find("^%s*ncclscript%s+" .. name .. "%f[%s\0]") then return false end
  for _, word in ipairs { ... } do
    if not text:find(word, 1, true) then return false end
  end
  return true
end

return { calls = calls, answer = answer }
