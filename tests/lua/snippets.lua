-- Small pieces of Lua, a line each; what each gives, or its error, is printed. snippets.txt has what a
-- scenario gives. `lua5.4 -e 'function scenario() end' snippets.lua` gives the same, but for what
-- docs/scenarios.md says of Lua in a scenario.
scenario { ranks = 1 }

local snippets = [=====[
return 1, 1.0, -0.0, 1e15, 1e16, 1e100, 0.1, 1/3, 2^53, 2^63, -(2^63)
return 10 // 3, -10 // 3, 10 // -3, 10.0 // 3, -10 % 3, 10 % -3, -10.5 % 3, 5.5 // 0
return 1 // 0
return 1 % 0
return 1 / 0, -1 / 0, 0 / 0 ~= 0 / 0, 2^0.5
return math.maxinteger + 1 == math.mininteger, math.mininteger // -1, math.mininteger % -1
return 3 & 5, 3 | 5, 3 ~ 5, ~0, 1 << 63, 1 << 64, 1 >> 1, -1 >> 60, 1 << -1
return 1.5 & 1
return "a" | 1
return "10" + 5, "0x10" + 0, "3.0" + 1, "10" .. 5, 1 .. 2
return "abc" + 1
return {} + 1
return nil .. "x"
return 1 < "2"
return {} < {}
return nil > 1
return 2^31 | 0, "7" // 2, "7" & 3
return #"abc", #{ 1, 2, 3 }, #5
return -"2", -"x"
return not nil, not 0, nil == false, 1 == 1.0, "1" == 1
return 0x7fffffffffffffff, 0xffffffffffffffff, 0x1p4, 0xA.8p0, 9223372036854775807, 9223372036854775808
return 1e308 * 10, -1e308 * 10, 5 // 0.0, -5 % math.huge
return tostring(1e15), tostring(123456789012), tostring(-0.0), tostring(1e14), tostring(3.14159265358979)
return tonumber("10"), tonumber("0x1F"), tonumber("1e2"), tonumber("  7  "), tonumber("7a"), tonumber("")
return tonumber("z", 36), tonumber("7", 8), tonumber("8", 8), tonumber("-ff", 16), tonumber("1.5", 10)
return tonumber("10", 99)
return tonumber(10, 10)
return tonumber()
return tonumber({})
return math.type(1), math.type(1.0), math.type("1"), math.tointeger(3.0), math.tointeger(3.5), math.tointeger("8")
return math.floor(3.7), math.ceil(3.2), math.floor(-3.7), math.fmod(7, 3), math.fmod(-7, 3), math.modf(3.7)
return math.fmod(1, 0)
return math.fmod(1, 0.0) ~= math.fmod(1, 0.0)
return math.max(1, 2.5), math.min(3), math.abs(-3), math.abs(math.mininteger), math.ult(1, -1)
return math.max()
return math.floor("x")
return math.floor({})
return math.floor()
return math.random(0) ~= nil, pcall(math.random, 2, 1)
return pcall(math.random, 1, 2, 3)
return math.random(3.5)
return math.log(8, 2), math.log(100, 10), math.exp(0), math.sqrt(16), math.pi
return math.abs()
return string.rep("ab", 3, ","), ("x"):rep(0), ("x"):rep(-1)
return string.rep()
return string.rep("x", "y")
return ("x"):rep({})
return pcall(string.rep)
return pcall(string.rep, "x", {})
return string.sub("hello", 2, 3), ("hello"):sub(-3), ("hello"):sub(0), ("hello"):sub(10), ("hello"):sub(2, -2)
return ("x"):sub()
return string.byte("abc", 1, -1), ("abc"):byte(10)
return string.char(72, 105), string.char()
return string.char(256)
return string.char(-1)
return string.char("x")
return ("abc"):upper(), ("ABC"):lower(), ("abc"):reverse(), ("abc"):len()
return string.len(5), string.upper()
return string.find("hello", "l"), string.find("hello", "xyz"), string.find("hello", "l", 4), ("a.b"):find(".", 1, true)
return string.find("abc", "b", -1), string.find("abc", "", 10), string.find("abc", "", 4)
return string.find()
return string.find("x")
return ("x"):find()
return pcall(string.find, "x")
return pcall(string.find, {}, "x")
return string.find("a", "[a")
return string.find("a", "%")
return string.find("a", "(a")
return string.find("a", "a)")
return string.find("a", "%1")
return string.find("a", "%f")
return string.find("a", "%b")
return string.find("a", "(()a)")
return string.match("key = value", "(%w+)%s*=%s*(%w+)"), string.match("2024-01-02", "(%d+)-(%d+)-(%d+)")
return string.match("hello", "()ll()"), string.match("abc", "z"), string.match("  x  ", "^%s*(.-)%s*$")
return string.match("THE (quick) fox", "%((%a+)%)"), ("f(a(b)c)d"):match("%b()")
return ("THE (quick) fox"):find("%f[%a]%a+%f[%A]"), ("[[x]]"):match("%[%[(.-)%]%]"), ("a-b"):match("[a%-]+")
return string.gsub("hello world", "o", "0"), ("abc"):gsub("", "-"), ("abc"):gsub("%w", "%0%0"), ("abc"):gsub("b", "%%")
return ("hello"):gsub("l", { l = "L" }), ("hello"):gsub(".", { h = 1, e = false }), ("hello"):gsub("l", function(c) return c:upper() end)
return ("abc"):gsub("a", "%2")
return ("abc"):gsub("a", "%x")
return ("abc"):gsub("a", "%")
return ("abc"):gsub("a", function() return {} end)
return ("abc"):gsub("a", { a = print })
return ("abc"):gsub("a")
return ("abc"):gsub("a", 1), ("abc"):gsub("a", nil)
return ("abc"):gsub("a", true)
return ("abc abc"):gsub("abc", "x", 1), ("abc"):gsub("%w", "%1"), ("x"):gsub("x", "y", 0), ("x"):gsub("x", "y", "z")
local t = {} for k, v in ("a=1,b=2"):gmatch("(%w+)=(%w+)") do t[#t + 1] = k .. v end return table.concat(t, ";")
local t = {} for w in ("one two"):gmatch("%a+") do t[#t + 1] = w end return #t, t[2]
local t = {} for w in ("abc"):gmatch("", 2) do t[#t + 1] = "e" end return #t
return ("x"):gmatch()
for w in ("x"):gmatch("[") do end
return string.format("%d %5d %-5d| %05d %+d", 3, 3, 3, 3, 3), string.format("%x %X %#x %o", 255, 255, 255, 8)
return string.format("%g %e %f %.3f %10.2f %a", 1.5, 1.5, 1.5, 1.5, 1.5, 1.0)
return string.format("%s %10s %-10s| %.2s %q", "x", "y", "z", "long", "a\nb\0\"c\\")
return string.format("%q %q %q %q", 1, 1.5, math.mininteger, 1 / 0)
return string.format("%i %u", 3, 4)
return string.format("%c%c %%", 72, 105), string.format("%s %s %s", nil, true, 1.0)
return string.format("%d", 3.0), string.format("%d", "10")
return string.format("%d", 3.5)
return string.format("%d", "x")
return string.format("%d")
return string.format("%y", 1)
return string.format("%", 1)
return string.format("%0100d", 1)
return string.format("%s")
return string.format("%q", {})
return string.format("%10q", "x")
return string.format("%.123d", 1)
return string.format("%s", setmetatable({}, { __tostring = function() return "mine" end }))
return string.format("%s", setmetatable({}, { __tostring = function() return 1 end }))
return tostring(setmetatable({}, { __name = "kind" })):match("^kind: ")
return string.format({})
return pcall(string.format)
return string.pack("<i4", 7):byte(1, -1)
return string.unpack("<i4", "\7\0\0\0"), string.packsize("<i4i8"), string.unpack("z", "abc\0"), string.unpack("s1", "\3abc")
return string.unpack("<i4", "abc")
return string.pack("i17", 1)
return string.pack("y", 1)
return string.pack("i1", 300)
return string.unpack("z", "abc")
return table.concat({ 1, 2, 3 }, "-"), table.concat({}, "x"), table.concat({ 1, 2, 3 }, ",", 2, 3), table.concat({ 1.5, "a" })
return table.concat({ 1, {}, 3 })
return table.concat({ 1, nil, 3 }, ",", 1, 3)
return table.concat(1)
return table.concat()
local t = { 1, 2 } table.insert(t, 3) table.insert(t, 1, 0) return table.unpack(t)
local t = { 1, 2 } table.insert(t, 5, 9)
local t = { 1, 2 } table.insert(t, 1, 2, 3)
local t = { 1, 2 } table.insert(t)
table.insert(nil, 1)
local t = { 1, 2, 3 } return table.remove(t), table.remove(t, 1), #t, table.remove({}), table.remove({ [0] = 1 }, 0)
local t = { 3, 1, 2 } table.sort(t) return table.concat(t, " ")
local t = { 3, 1, 2 } table.sort(t, function(a, b) return a > b end) return table.concat(t, " ")
local t = { 3, "a", 2 } table.sort(t)
local t = { 1, 2, 3, 4, 5 } table.sort(t, function() return true end)
table.sort({ 1, 2 }, 5)
table.sort()
return table.unpack({ 1, 2, 3 }, 2), table.unpack({ 1, 2 }, 1, 3), select("#", table.unpack({}, 1, 0))
return table.unpack({}, 1, 1e7)
return table.pack(1, nil, 3).n, select("#", nil, nil), select(2, "a", "b", "c"), select(-1, "a", "b")
return select(0)
return select(-5, 1)
return select("x")
return table.unpack(table.move({ 1, 2, 3 }, 1, 3, 2))
return table.move({}, 0, math.maxinteger, 2)
return table.move({}, 1, 2, math.maxinteger)
return table.move(1, 2, 3, 4)
return next({}), next({ 5 }), rawlen({ 1, 2 }), rawlen("abc"), rawequal(1, 1.0), rawget({ a = 1 }, "a")
return next({}, "x")
return next()
return rawlen(5)
return rawset({}, nil, 1)
return rawget(1, 2)
local t = setmetatable({}, { __index = function(_, k) return k .. "!" end }) return t.a, rawget(t, "a")
local t = setmetatable({}, { __newindex = function(t, k, v) rawset(t, k, v * 2) end }) t.a = 2 return t.a
local t = setmetatable({}, { __call = function(_, a) return a end, __len = function() return 9 end, __unm = function() return "u" end }) return t(3), #t, -t
local t = setmetatable({}, { __eq = function() return true end, __lt = function() return true end, __le = function() return false end }) return t == setmetatable({}, getmetatable(t)), t < t, t <= t
local t = setmetatable({}, { __concat = function(a, b) return "c" end, __close = 1, __metatable = "locked" }) return t .. 1, 1 .. t, getmetatable(t)
return setmetatable(setmetatable({}, { __metatable = 1 }), {})
return setmetatable(1, {})
return setmetatable({})
return setmetatable({}, 1)
return getmetatable("").__index == string
return getmetatable()
local t = setmetatable({}, { __pairs = function() return function(_, k) if not k then return 1, 2 end end end }) for k, v in pairs(t) do return k, v end
return pairs()
return pairs(nil)
for k in pairs(5) do end
for i in ipairs() do end
for i = 1, 10, 0 do end
for i = "a", 2 do end
for i = 1, {} do end
for i = 1, 2, "x" do end
local n = 0 for i = 10, 1 do n = n + 1 end for i = 1, 3 do n = n + i end for i = 1.0, 2 do n = n + i end return n
local n = 0 for i = math.maxinteger - 1, math.maxinteger do n = n + 1 end return n
for a in 5 do end
for a in nil do end
local x <const> = 1 x = 2
local x <close> = 5
local x <foo> = 1
do local x <close> = setmetatable({}, { __close = function(_, e) error("in close", 0) end }) end
do local x <close> = setmetatable({}, { __close = function(_, e) end }) error("body", 0) end
goto done do return 1 end ::done:: return 2
goto nowhere
::a:: ::a::
goto inside; local x ::inside:: return x
do local i = 1 ::top:: i = i + 1 if i < 5 then goto top end return i end
break
local function f(...) return select("#", ...), ... end return f(1, nil)
return ...
local a, b, c = (function() return 1, 2, 3 end)() return a, b, c, ((function() return 1, 2 end)())
local t = { (function() return 1, 2 end)(), (function() return 1, 2 end)() } return #t
local t = {} t[nil] = 1
local t = {} t[0 / 0] = 1
local t = {} return t[nil], t.x
local t = {} return t.x.y
local t = {} t.x.y = 1
local t = {} t.x()
local t = {} t:x()
local s = "x" s()
local s = "x" return s.y.z
local s = "x" return s:nope()
local s = "x" s.y = 1
local a = {} a.b.c.d = 1
return (nil)[1]
return (1)()
return math.nope()
return ("x") .. {}
local a = 1 a.b = 2
local function f() return nil + 1 end return f()
local up = nil return (function() return up.x end)()
return 2^63 | 0
return 1 < nil
return "a" < 1
return 1.5 // 0, 1 // 0.0
return 1e400 | 1
error("plain")
error("plain", 0)
error("plain", 2)
error({ 1 })
error(nil)
error()
error("at", 1)
error(setmetatable({}, { __tostring = function() return "obj" end }))
return pcall(error, "x")
return pcall(error, "x", 0)
return pcall(error)
return pcall(error, nil)
return pcall(error, { 7 })
return pcall(function() error("lvl1", 1) end)
return pcall(function() error("lvl2", 2) end)
local function f() error("from f", 2) end return pcall(function() f() end)
return pcall()
return pcall(1)
return pcall(nil)
return pcall(pcall)
return pcall(pcall, error, "e")
return xpcall(function() error("x", 0) end, function(m) return m .. "!" end)
return xpcall(function(...) return ... end, print, 1, 2)
return xpcall(function() error("x", 0) end, function(m) error("again", 0) end)
return xpcall(function() local x = nil + 1 end, function(m) return "h:" .. m end)
return xpcall(print)
return xpcall()
return xpcall(function() error() end, function(m) return m end)
return xpcall(error, function(m) return type(m) end, nil)
return select("#", pcall(function() return nil, nil end))
assert(false)
assert(nil, "message")
assert(false, { 5 })
return assert(1, 2, 3)
assert()
return pcall(assert, false)
return pcall(assert)
local function deep(n) return deep(n + 1) + 1 end return deep(1)
local function deep(n) local ok, m = pcall(deep, n + 1) return ok, m end return (select(2, deep(1)))
return pcall(string.rep, "x", -1)
return string.rep("xx", math.maxinteger)
return coroutine.resume(coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end), 1)
local co = coroutine.create(function() error("in co") end) return coroutine.resume(co)
local co = coroutine.create(function() error({ 1 }) end) local ok, e = coroutine.resume(co) return ok, type(e), coroutine.status(co)
local co = coroutine.create(function() end) coroutine.resume(co) return coroutine.resume(co)
local co = coroutine.wrap(function() error("w") end) return pcall(co)
local co = coroutine.wrap(function() error("w", 0) end) return co()
local co = coroutine.wrap(function() end) co() return co()
local co = coroutine.wrap(function() for i = 1, 2 do coroutine.yield(i) end end) return co(), co(), co()
return coroutine.yield(1)
return coroutine.isyieldable(), coroutine.status(coroutine.running()), select(2, coroutine.running())
return coroutine.create(1)
return coroutine.resume(1)
return coroutine.status(nil)
return coroutine.wrap()
return coroutine.close(coroutine.create(print)), coroutine.status(coroutine.create(print))
return coroutine.close(coroutine.running())
local co co = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(co)
local co co = coroutine.wrap(function() return co() end) return co()
local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() error("c", 0) end }) coroutine.yield() end) coroutine.resume(co) return coroutine.close(co)
return coroutine.resume(coroutine.create(function() return pcall(coroutine.yield, 1) end))
return coroutine.wrap(function() return pcall(error, "in pcall", 0) end)()
local t = {} for k in coroutine.wrap(function() coroutine.yield("a") coroutine.yield("b") end) do t[#t + 1] = k end return table.concat(t)
return load("return 1 + 1")()
return load("x =")
return load("return", "name"), load("x x", "=name")
return load("x x", "@file.lua")
return load("error('in load')")()
return pcall(load("error('in load')", "=chunk"))
return pcall(load("local x = nil; x()", "=chunk"))
return load("return ...")(5)
return load("return 1", "n", "b")
return load("return 1", "=n", "b")
return load("return 1", "n", "t")() , load("return 1", "n", "bt")()
return load("\27Lua", "n", "t")
return load("return 1", "n", "x")
return load("return x", "n", "t", { x = 5 })()
return pcall(load("return x.y", "=n", "t", {}))
return load(function() return nil end)
local n = 0 return load(function() n = n + 1 return ({ "return ", "4", "2" })[n] end)()
return load(function() error("reader") end)
return load(function() error({ 1 }) end)
return load(function() return {} end)
local n = 0 return load(function() n = n + 1 if n == 1 then return "return 1" end error("late", 0) end)
return load(nil)
return load()
return load({})
return load("return 1", {})
return load("return 1", "n", {})
return load(5)
return pcall(load)
return load("goto x")
return load("for")
return load("x = }")
return load("x = 'abc")
return load("x = [[abc")
return load("x = '\\q'")
return load("x = '\\300'")
return load("x = '\\u{110000000}'")
return load("x = 1e")
return load("x = 0x")
return load("x = 3x")
return load("--[[ never ends")
return load("return 'a\nb'")
return load("local x <const> = 1; x = 2")
return load("break")
return load("::l:: goto l; ::l::")
return load("if x then")
return load("f(")
return load("a.b:c = 1")
return load("local function f() return 1 2 end")
return load("x = = 1")
return load("return return")
return load("\1")
return load("x = ~")
return load(("x = 1 "):rep(3) .. "$")
return load("local a, b <close>, c <close> = 1")
return load("return function(a, ..., b) end")
return load("function f() return ... end")
return load(("("):rep(300) .. "1" .. (")"):rep(300))
return load("return " .. ("{"):rep(250) .. ("}"):rep(250))
return load("local " .. ("a,"):rep(250) .. "a")
return utf8.char(72, 228, 8364, 128512), utf8.char()
return utf8.len("häß"), utf8.len("\xff"), utf8.len("abc", 4), utf8.len("abc", 2, 3)
return utf8.len("abc", 6)
return utf8.codepoint("häß", 1, -1)
return utf8.codepoint("\xff")
return utf8.codepoint("abc", 4)
return utf8.offset("häß", 3), utf8.offset("abc", 5), utf8.offset("abc", -1), utf8.offset("abc", 0, 2)
return utf8.offset("ä", 1, 2)
return utf8.char(-1)
return utf8.char("x")
local t = {} for p, c in utf8.codes("hä") do t[#t + 1] = p .. ":" .. c end return table.concat(t, " ")
for p, c in utf8.codes("a\xffb") do end
for p, c in utf8.codes() do end
return os.time { year = 2020, month = 1, day = 1, hour = 0 }
return os.time { year = 2020 }
return os.time { year = "x", month = 1, day = 1 }
return os.time(5)
return os.date("!%Y-%m-%d %H:%M:%S", 0), os.date("!*t", 0).year, os.date("!%c", 86400)
return os.date("%Ez", 0)
return os.date("%Q", 0)
return os.difftime(5, 3), type(os.clock()), type(os.time())
return os.difftime()
return type(print), type(nil), type({}), type("x"), type(2), type(print) == "function"
return type()
return tostring(nil), tostring(true), tostring("x"), tostring(12), tostring(1.5)
return tostring()
return ipairs({}) ~= nil, select("#", ipairs({}))
return ipairs()
return rawequal(1)
return collectgarbage("count") > 0, collectgarbage()
return collectgarbage("nope")
return _VERSION
return _G == nil, _ENV ~= nil
return type(debug.traceback()), debug.traceback("x", 1):match("^x\nstack traceback:") ~= nil, debug.traceback({}) ~= nil
return dofile ~= nil
return os.exit ~= nil
return string.dump ~= nil, debug.getinfo ~= nil, table.nope ~= nil
return table.getn, string.gfind
local a = {} for i = 1, 5 do a[i] = i * i end a[3] = nil return a[5], #"x", select("#", a)
local x = 5 local function g() x = x + 1 return x end g() return g(), x
local t = { n = 0, f = function(self) self.n = self.n + 1 return self end } return t:f():f().n
return (function(a, b, ...) return a, b, select("#", ...) end)(1)
return ("%d"):format(2^53), ("%.14g"):format(2^53), 2^53 // 1, 2^53 | 0
return 7 // 2.0, 7 % 2.5, 3 | 4.0, 1e3, 1000000000000000000000, 0x.8p1
return "\65\066\x41\u{48}\z
        end"
return 'single "double"', "esc \\ \t|", [[long]], [==[=]==]
return #"\u{7FFFFFFF}", "a\
b"
return 1--[[c]]+1, 5 --c
return ((1 + 2) * 3) ^ 2, -2 ^ 2, not 1 == 2, 2 .. 3 .. 4, 2^3^2
return 1 or error("no"), nil and error("no"), false or nil, nil or false
;;; return 1
return 0xep1, 0x1P-2, .5, 5., 3e-2
while true do break end repeat local z = 1 until z == 1 return "loops"
]=====]

-- A line that ends in a backslash, or in \z, goes on in the next one.
snippets = snippets:gsub("\\z\n", "\\z\0"):gsub("\\\n", "\\\0")

local function show(v)
    local text = tostring(v):gsub("^(%l+): [%x]+$", "%1"):gsub("^(%l+): 0x%x+$", "%1")
    return (text:gsub("[%c]", function(c) return ("\\%d"):format(c:byte()) end))
end

local n = 0
for line in snippets:gmatch("([^\n]*)\n") do
    n = n + 1
    local run, message = load((line:gsub("%z", "\n")), "=s")
    local results = run and table.pack(pcall(run)) or { "does not load", message, n = 2 }
    for i = 1, results.n do
        results[i] = show(results[i])
    end
    print(n .. "\t" .. table.concat(results, "\t"))
end
