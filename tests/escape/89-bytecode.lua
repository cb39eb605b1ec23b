-- status: 0
-- Lua's machine believes its code: none may come from a script.
scenario { ranks = 1 }
for _, text in ipairs { "\27Lua", "\27LuaT\0\x19\x93\r\n\x1a\n", "\27" } do
    expect.that(not load(text, "=x"))
    expect.that(not load(text, "=x", "b"))
    expect.that(not load(function() local t = text text = nil return t end, "=x", "bt"))
end
expect.that(not pcall(string.dump or error, print))
