-- Like cases/read_before_sync.lua, but each read comes after something that has waited.
scenario { ranks = 2 }

local x, y = cuda.buffer("int32", 16):fill(1), cuda.buffer("int32", 16)
world:all_reduce(x, y)
stream:sync()
expect.equal(y, 2)

local e, side = cuda.event(), cuda.stream()
local z = cuda.buffer("int32", 16)
world:all_reduce(y) -- 4
e:record(stream)
side:wait(e)
z:copy_from(y, { stream = side })
side:sync() -- and so for the event, and for all before it
expect.equal(y, 4)
expect.equal(z, 4)

local blocking = cuda.stream { blocking = true }
world:all_reduce(y, { stream = blocking }) -- 8
expect.equal(y, 8) -- the legacy stream waits for blocking ones

world:all_reduce(y) -- 16
while not stream:query() do end
expect.equal(y, 16)

world:all_reduce(y) -- 32
stream:callback(function() store:set("over" .. rank, true) end)
store:get("over" .. rank)
expect.equal(y, 32)

world:all_reduce(y) -- 64
local t = spawn(function() stream:sync() end)
t:join()
expect.equal(y, 64)
