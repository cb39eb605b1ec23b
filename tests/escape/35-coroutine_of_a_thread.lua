-- status: 0
-- A coroutine is left suspended by a thread that ends and is forgotten; another one closes it, and a
-- variable's end makes calls of the driver in it.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096):fill(7)
local closed = 0
for _ = 1, 20 do
    local left
    do
        local t = spawn(function()
            left = coroutine.create(function()
                local v <close> = setmetatable({}, { __close = function()
                    closed = closed + x[1]
                    collectgarbage()
                    attack.spray(400)
                    x:fill(7)
                end })
                coroutine.yield()
            end)
            coroutine.resume(left)
        end)
        t:join()
        t = nil
    end
    collectgarbage()
    attack.spray(400)
    coroutine.close(left)
end
expect.equal(closed, 140)
