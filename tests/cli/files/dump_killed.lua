scenario { ranks = 4, about = "a fault kills rank 2 before its second call" }

local x = cuda.buffer("float32", 8):fill(1)
fault.kill { rank = 2, call = 2 }

for step = 1, 2 do
    world:all_reduce(x)
end
stream:sync()
