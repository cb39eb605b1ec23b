scenario { ranks = 2, about = "makes and destroys communicators all the time" }

for _ = 1, 60000 do
    local c = world:split { color = 0 }
    c:destroy()
end
for _ = 1, 4000 do
    world:split { color = nccl.NOCOLOR }
end
collectgarbage()
assert(collectgarbage("count") < 500, "Lua holds what nobody can reach")
