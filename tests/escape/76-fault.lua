-- status: 3
-- never: AAAA
-- A rank is stopped while copies to its pageable memory are on their way, and spoilt results are on
-- their way to memory that goes.
scenario { ranks = 2 }

local x = cuda.buffer("uint8", 4096):fill(rank)
local host = C.host("uint8", 4096)
fault.kill { rank = 1, call = 1 }
if rank == 1 then
    spawn(function()
        stream:delay(0.01)
        C.cudaMemcpyAsync(host, x, 4096, C.cudaMemcpyDefault, stream)
    end)
    sleep(0.001)
end
host = nil
collectgarbage()
world:all_reduce(x)
stream:sync()
