-- Libraries, classes and methods are made when a script first names them: wherever that is, what they do is the
-- same. Rank 1 has named all of them before, rank 0 has not, and both print the same.
scenario { ranks = 2 }

if rank == 1 then
  local _ = { string, table, math, utf8, coroutine, os, debug, nccl, cuda, expect, fault, C, param, store }
  local x = cuda.buffer("float32", 4):fill(0)
  local _ = { x.get, x.fill, x.copy_from, x.count, x.dtype, world.all_reduce, world.send, world.rank, stream.sync }
end

local function line(what, ...)
  print(what, ...)
end

local function message(f, ...)
  local ok, e = pcall(f, ...)
  return ok and e or (type(e) == "table" and e.message or tostring(e):gsub("^.-:%d+: ", ""))
end

-- in a coroutine, in a protected call, in metamethods
line("wrap", coroutine.wrap(function() return math.max(3, 5), utf8.char(228) end)())
line("pcall", pcall(function() return table.concat({ 1, 2, 3 }, "-") end))
line("__index", setmetatable({}, { __index = function(_, k) return os.date("%Y", 0) .. k end }).x)
do
  local guard <close> = setmetatable({}, { __close = function() line("__close", type(debug.traceback())) end })
end
line("spawn", spawn(function() return math.pi > 3 and nccl.version end):join())
line("text", ("x"):rep(3, ","), "10" + 1, #"abc", ("%d"):format(7))

-- what is not there is not there, and the names that are meant are known
line(message(function() return mth end))
line(message(function() return worldd end))
line(message(function() return cuda.bufer end))
line(message(function() return world.all_reduc end))
line(message(function() return stream.synk end))
line(message(function() return expect.equl end))
line(type(table.nothing), type(string.nothing), type(math.nothing))

-- nothing that is ready-made can be assigned, named before or not
for _, name in ipairs { "utf8", "fault", "C", "math" } do
  line(message(load(name .. " = 1")))
end
line(message(function() fault.x = 1 end))
line(message(rawset, _G, "debug", 1))
line(rawget(_G, "coroutine"), rawequal(math, math), getmetatable(_G), next(_G))

-- classes by their objects
local y = cuda.buffer("int32", 3):fill(2)
line(message(function() return y.lenght end))
line(message(function() y.count = 3 end))
line(message(y.get, 1))
line(y:get()[3], y.count, #y, y.dtype)
line(message(function() return world.abort(1) end))
