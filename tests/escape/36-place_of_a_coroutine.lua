-- status: 3
-- prints: HANG
-- The latest call of a thread was made in a coroutine that is gone; a hang asks where the thread is.
scenario { ranks = 1 }

local attack = require "attack"
spawn(function() store:get("never") end)
coroutine.wrap(function() sleep(0.001) cuda.buffer("uint8", 64):fill(1) end)()
for _ = 1, 3 do
    collectgarbage()
    attack.spray(1200)
end
