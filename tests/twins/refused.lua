scenario { ranks = 2, about = "calls that fail, and steps that say so" }

local x = cuda.buffer("float32", 8):fill(1)
local out = cuda.buffer("float32", 8)
local twice = world:premulsum("float32", 2)

expect.error("usage", function() world:all_reduce(x, { count = 9 }) end)
expect.error("ncclInvalidArgument", function()
  C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, nranks, world, stream))
end)
world:all_reduce(x, out, { op = twice })
stream:sync()
expect.equal(out, 4)
twice:destroy()
print(x)
print("rank " .. rank .. " of " .. nranks .. " has " .. x[1])
