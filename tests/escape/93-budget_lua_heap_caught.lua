-- Want of memory is Lua's own error: what catches it goes on, with its memory back.
-- command: run --memory 64M
-- status: 0
-- prints: not enough memory
scenario { ranks = 1 }
print(pcall(function() local t = {} while true do t[#t + 1] = {} end end))
