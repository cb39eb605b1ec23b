-- status: 4
-- never: expectation
-- An all-to-all moves in steps. Between them its memory is freed in the order of another stream, and
-- less is allocated at its place.
scenario { ranks = 4 }

local attack = require "attack"
local send, recv = cuda.buffer("float32", 4 << 18), cuda.buffer("float32", 4 << 18)
local other = cuda.stream { blocking = false }
send:fill(rank, { stream = stream })
stream:sync()
if rank == 3 then stream:delay(0.01) end
world:all_to_all(send, recv)
if rank == 0 then
    C.check(C.cudaFreeAsync(recv, other))
    C.check(C.cudaFreeAsync(send, other))
    other:sync()
    for _ = 1, 16 do cuda.buffer("float32", 64) end
    attack.spray(1 << 20)
end
expect.equal(C.cudaStreamSynchronize(stream), rank == 0 and 700 or 0)
