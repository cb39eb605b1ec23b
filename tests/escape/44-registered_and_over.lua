-- status: 4
-- never: AAAA
-- A rank ends with an error while its registered memory takes part in what the others wait for.
scenario { ranks = 2 }

local attack = require "attack"
local host = C.host("float32", 1024):fill(rank)
C.check(C.cudaHostRegister(host, 4096, 0))
stream:delay(0.01)
C.check(C.ncclAllReduce(host, host, 1024, C.ncclFloat32, C.ncclSum, world, stream))
if rank == 1 then
    host = nil
    collectgarbage()
    attack.spray()
    C.cudaSetDevice("none")
end
stream:sync()
