-- Marks a step of a lesson by the calls that were made since it began. `step.calls` is a list of what every rank must
-- have done:
--
--   calls = { { "ncclAllReduce", comm = "world", op = "sum", ranks = { 0, 1 }, times = 2 } }
--
-- The first item is a function of C, or a list of which one will do. Other fields are those of s.made; a list of values
-- means one of them. Without `fills = true` nobody may have written the values by hand.
--
-- Returns nothing if all is as it should be, otherwise what is missing.

local function is_one_of(got, want)
  if type(want) ~= "table" then return got == want end
  for _, each in ipairs(want) do
    if got == each then return true end
  end
  return false
end

local special = { [1] = true, ranks = true, times = true }

local function fits(call, want)
  if not is_one_of(call.fn, want[1]) or (call.rc and call.rc ~= 0) then return false end
  for field, value in pairs(want) do
    if not special[field] and not is_one_of(call[field], value) then return false end
  end
  return true
end

local function described(want)
  local function text(v) return type(v) == "table" and table.concat(v, " or ") or tostring(v) end
  local fields, details = {}, {}
  for field in pairs(want) do
    if not special[field] then fields[#fields + 1] = field end
  end
  table.sort(fields)
  for _, field in ipairs(fields) do details[#details + 1] = field .. " " .. text(want[field]) end
  return text(want[1]) .. (#details > 0 and " with " .. table.concat(details, ", ") or "")
end

local function missing(want, s, rank)
  local times = 0
  for _, call in ipairs(s.made(rank)) do
    if fits(call, want) then times = times + 1 end
  end
  local wanted = want.times or 1
  if times >= wanted then return nil end
  return ("the values are right, but rank %d made %s %s; :again begins the step anew"):format(rank,
    times == 0 and "no call of" or ("%d of %d calls of"):format(times, wanted), described(want))
end

return function(step, s)
  local all = {}
  for r = 0, s.nranks - 1 do
    all[#all + 1] = r
    if not step.fills and s.filled(r) > 0 then
      return ("rank %d has written values by hand: let the call bring them. :again begins the step anew"):format(r)
    end
  end
  for _, want in ipairs(step.calls) do
    for _, r in ipairs(want.ranks or all) do
      local text = missing(want, s, r)
      if text then return text end
    end
  end
end
