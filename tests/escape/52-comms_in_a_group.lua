-- status: 0
-- Communicators are forgotten, aborted and collected inside of the group that makes them.
scenario { ranks = 2 }

local attack = require "attack"
for round = 1, 10 do
    C.ncclGroupStart()
    do
        local _, a = C.ncclCommSplit(world, rank % 2, 0, nil)
        local _, b = C.ncclCommSplit(world, C.NCCL_SPLIT_NOCOLOR, 0, nil)
        local _, c = C.ncclCommSplit(world, 0, rank, C.ncclConfig { commName = "c" .. round })
        if a then C.ncclCommAbort(a) C.ncclCommDestroy(a) end
        pcall(c.abort, c)
        pcall(c.destroy, c)
    end
    collectgarbage()
    attack.spray(200)
    collectgarbage()
    C.ncclGroupEnd()
    attack.spray(200)
end
