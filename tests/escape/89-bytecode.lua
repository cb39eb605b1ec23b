-- status: 0
-- Lua's machine believes its code: none may come from a script.
scenario { ranks = 1 }
for _, text in ipairs { "\27Lua", "\27LuaT\0\x19\x93\r\n\x1a\n", "\27" } do
    expect.that(not load(text, "=x"))
    expect.that(not load(text, "=x", "b"))
    expect.that(not load(function() local t = text text = nil return t end, "=x", "bt"))
end
expect.that(not pcall(string.dump or error, print))
for _, mode in ipairs { "b", "t", "bt", "xb" } do
    for _, pieces in ipairs { { "\27LuaT\0", "\x19\x93\r\n" }, { "\27", "LuaT" }, { "", "\27LuaT" }, { 5, "\27LuaT" } } do
        local n = 0
        local code = load(function() n = n + 1 return pieces[n] end, "=x", mode)
        expect.that(not code or pieces[1] == "") -- an empty piece is the end
    end
end
