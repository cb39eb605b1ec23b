scenario { ranks = 4 }
local x, y = nil, cuda.buffer("uint8", 32):fill(0)
if rank == 1 then
    x = cuda.buffer("uint8", 128):fill(function(i) return (i * 7 + i // 32) % 251 + 1 end)
end
world:scatter(x, y, { root = 1 })
stream:sync()
