-- status: 4
-- never: expectation
-- A result that a fault spoils is written to where the memory was.
scenario { ranks = 2 }

local attack = require "attack"
local x = cuda.buffer("float32", 1024):fill(rank)
local _, a = C.cudaPointerGetAttributes(x)
fault.corrupt { rank = 0, call = 1 }
stream:delay(0.01)
world:all_reduce(x)
if rank == 0 then C.check(C.cudaFreeAsync(a.devicePointer, cuda.stream { blocking = false })) end
sleep(0.005)
attack.spray()
expect.equal(C.cudaStreamSynchronize(stream), rank == 0 and 700 or 0)
