-- Every host function that NCCL's headers declare is in the table of the API or among the exceptions,
-- each with a reason; and every function of the table that the header is new enough for is in it.
--
--   lua5.4 tests/abi/walk.lua FOLDER    the folder of nccl.h; run from the top of the source tree

local folder = arg[1]
local api = assert(loadfile("src/api/api.lua"))()

local function text_of(path)
  local file = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

local function plain(text) -- without comments and directives, whose lines may be continued
  text = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", "")
  return (text:gsub("\\\n", " "):gsub("\n%s*#[^\n]*", "\n"))
end

-- ---- what is declared ----

local declared, count = {}, 0

local function declare(name)
  name = name:match("^p(nccl%u.*)$") or name -- the name for profilers
  if not declared[name] then
    declared[name] = true
    count = count + 1
  end
end

local header = assert(text_of(folder .. "/nccl.h"), folder .. ": no nccl.h")
local version = tonumber(header:match("#define%s+NCCL_VERSION_CODE%s+(%d+)"))
for name in plain(header):gmatch("([%w_]+)%s*%(") do
  if name:find("^p?nccl%u") then declare(name) end
end
for _, part in ipairs { "barrier", "comm", "core", "gin", "gin_barrier", "gin_win_stub", "ll_a2a",
                        "lsa_barrier", "net_device", "ptr", "reduce_copy", "utility" } do
  local text = text_of(("%s/nccl_device/%s.h"):format(folder, part))
  for name in plain(text or ""):gmatch("NCCL_EXTERN_C%s+__host__[%s%w_*]-([%w_]+)%s*%(") do
    declare(name)
  end
end

-- NCCL 2.32 has them in a header of their own, without __host__; inline functions are no exports.
for prefix, name in plain(text_of(folder .. "/nccl_device/host.h") or ""):gmatch("NCCL_EXTERN_C%s+([%s%w_*]-)([%w_]+)%s*%(") do
  if not prefix:find("INLINE") then declare(name) end
end

-- ---- what is known ----

local function code(since)
  local x, y, z = since:match("(%d+)%.(%d+)%.(%d+)")
  x, y, z = tonumber(x), tonumber(y), tonumber(z)
  return (x <= 2 and y <= 8) and x * 1000 + y * 100 + z or x * 10000 + y * 100 + z
end

local known, wrong = {}, 0

local function complain(fmt, ...)
  io.stderr:write(fmt:format(...), "\n")
  wrong = wrong + 1
end

local exceptions, excepted = {}, 0
for line in assert(io.lines("tests/abi/exceptions.txt")) do
  local name, reason = line:match("^(nccl%w+)%s+(%S.*)$")
  if name then
    exceptions[name] = reason
  elseif line ~= "" and line:sub(1, 1) ~= "#" then
    complain("tests/abi/exceptions.txt: no reason in: %s", line)
  end
end

for _, fn in ipairs(api.functions) do
  if fn.lib == "nccl" then
    known[fn.name] = true
    if exceptions[fn.name] then complain("%s is in the API and an exception", fn.name) end
    if code(fn.since) <= version and not declared[fn.name] then
      complain("%s is in the API since %s and not in the headers of %d", fn.name, fn.since, version)
    end
  end
end

local names = {}
for name in pairs(declared) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  if exceptions[name] then
    excepted = excepted + 1
  elseif not known[name] then
    complain("%s is declared, and neither in src/api/api.lua nor in tests/abi/exceptions.txt", name)
  end
end

print(("headers of NCCL %d: %d functions, %d of them exceptions, %d wrong"):format(version, count,
  excepted, wrong))
os.exit(wrong == 0 and count > 30)
