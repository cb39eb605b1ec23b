-- status: 4
-- command: run --draw
-- never: expectation
-- The same drawn, and not verified: what is not checked is not looked at either.
scenario { ranks = 4 }

local attack = require "attack"
local send, recv = cuda.buffer("float32", 4 << 18), cuda.buffer("float32", 4 << 18)
local other = cuda.stream { blocking = false }
send:fill(rank, { stream = stream })
stream:sync()
if rank == 3 then stream:delay(0.01) end
world:all_to_all(send, recv, { verify = false })
if rank == 0 then
    C.check(C.cudaFreeAsync(recv, other))
    other:sync()
    for _ = 1, 16 do cuda.buffer("float32", 64) end
    attack.spray(1 << 20)
end
expect.equal(C.cudaStreamSynchronize(stream), rank == 0 and 700 or 0)
