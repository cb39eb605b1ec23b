-- Every form of Lua's syntax, as a seed.
local a <const>, b <close> = 0x1.8p-3, nil
local t = { 1, 2; x = 3, ["y"] = 4, [5] = 'five', f(), ... }
goto skip
do local inner = "\65\x42\u{43}\z
   \n\\" end
::skip::
for i = 1, #t, 2 do if i // 2 == 1 then break elseif i ~= 3 then goto continue else return end
  ::continue:: end
for k, v in pairs(t) do t[k] = v & 1 | 2 ~ 3 << 4 >> 5 end
while not t.x do t.x = (t.x or 0) + 1 end
repeat local done = t:method "text" { 1 } (2) until done
function t.a.b:c(x, ...) return self, x, ... end
local function rec(n) return n <= 1 and 1 or n * rec(n - 1) end
t.x, t[1], world = -1 ^ 2, [==[
long ]] text]==], a .. b .. "c" % 3e-5 / .5 -- comment
--[[ long
comment ]]
return rec(3);
