-- status: 0
-- What a call in a group was given, an id, a list or a configuration, is gone before the group ends.
scenario { ranks = 2 }

local attack = require "attack"
local x = cuda.buffer("float32", 64):fill(1)
local comms = {}
for round = 1, 10 do
    if rank == 0 then
        local _, id = C.ncclGetUniqueId()
        store:set("id" .. round, id)
    end
    C.ncclGroupStart()
    do
        local config = C.ncclConfig { commName = ("n"):rep(20) .. round, netName = "Socket" }
        local _, c = C.ncclCommInitRankConfig(2, store:get("id" .. round), rank, config)
        comms[round] = c
    end
    collectgarbage()
    attack.spray(400)
    collectgarbage()
    C.check(C.ncclGroupEnd())
    attack.spray(400)
    local c = comms[round]
    C.check(C.ncclAllReduce(x, x, 64, C.ncclFloat32, C.ncclMax, c, stream))
    stream:sync()
end
expect.equal(x, 1)
