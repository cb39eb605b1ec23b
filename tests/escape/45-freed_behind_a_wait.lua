-- status: 3
-- prints: HANG
-- Memory is freed in the order of another stream while its call waits for ranks that never come; the
-- diagnosis compares what the ranks have put in.
scenario { ranks = 2 }

local attack = require "attack"
local x, other = cuda.buffer("float32", 1024):fill(rank), cuda.stream { blocking = false }
if rank == 0 then
    world:all_reduce(x)
    C.check(C.cudaFreeAsync(x, other))
    other:sync()
    attack.spray()
    stream:sync()
end
world:all_reduce(cuda.buffer("float32", 1))
stream:sync()
