scenario { ranks = 3, about = "a rank destroys when its own last call is made, while the others are not there yet" }

local x = cuda.buffer("float32", 8):fill(1)
local comm = world:split { color = 0 }
sleep(60 * rank)
comm:all_reduce(x)
comm:destroy() -- waits for its own work
expect.equal(x, 3)
