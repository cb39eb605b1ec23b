scenario { ranks = 2, about = "one call of Lua's that does not end" }
print("before")
io.open("nobody_writes") -- a pipe: see the command
