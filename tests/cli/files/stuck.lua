scenario { ranks = 2, about = "one call of Lua's that does not end" }
print("before")
local text = ("a"):rep(2000)
print(text:find((".-"):rep(30) .. "b"))
