-- status: 0
-- Everything of Lua's that leaves the process, reads its memory or brings code of its own.
scenario { ranks = 1 }
local function has(name) return (pcall(load("return " .. name .. " ~= nil or error()"))) end
for _, name in ipairs { "io", "io.open", "package", "package.loadlib", "debug.getregistry",
                        "debug.sethook", "debug.setmetatable", "debug.getlocal", "debug.upvalueid",
                        "dofile", "loadfile", "os.execute", "os.getenv", "os.remove", "os.rename", "os.tmpname",
                        "os.exit", "os.setlocale", "string.dump", "(''):dump", "getmetatable('').__index.dump",
                        "_G.io", "_ENV.io" } do
    expect.that(not has(name), name)
end
expect.that(has("os.time") and has("string.format"))
