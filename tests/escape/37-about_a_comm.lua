-- status: 0
-- never: AAAA
-- The latest call was made on a communicator that is gone; what is wrong afterwards is not about it.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 64)
local p, w = x.ptr, C.ncclConfig {}
for _, wrong in ipairs { function() return p + "x" end, function() return p - "x" end,
                         function() return w[1] end, function() return p[1] end } do
    local _, id = C.ncclGetUniqueId()
    local _, c = C.ncclCommInitRank(1, id, 0)
    c:destroy()
    c = nil
    collectgarbage()
    collectgarbage()
    attack.spray(300)
    local ok, e = pcall(wrong)
    expect.that(not ok and e.comm == nil, tostring(e))
end
