-- status: 0
-- never: root:
-- Names that are paths, for whoever joins or cuts them wrongly.
scenario { ranks = 1 }
for _, name in ipairs { "../badinput/files/boom", "/etc/passwd", "./inside", "inside/", "..", ".", "",
                        "inside\0", "/etc/passwd\0", "inside.lua", "in~side", ("a"):rep(200), "~root" } do
    local ok, what = pcall(require, name)
    expect.that(not ok and tostring(what):find("is not the name of a module", 1, true), name)
end
expect.equal(require("inside"), 7) -- a link that stays in the folder
