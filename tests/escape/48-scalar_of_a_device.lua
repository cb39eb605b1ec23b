-- status: 4
-- prints: scalar
-- The scalar of an operator is read when the data moves: it is freed before.
scenario { ranks = 2 }

local attack = require "attack"
local x, scalar = cuda.buffer("float32", 1024):fill(1), cuda.buffer("float32", 1):fill(2)
local op = world:premulsum("float32", scalar)
local _, a = C.cudaPointerGetAttributes(scalar)
stream:delay(0.01)
world:all_reduce(x, { op = op })
C.check(C.cudaFreeAsync(a.devicePointer, cuda.stream { blocking = false }))
sleep(0.005)
attack.spray(16)
expect.equal(C.cudaStreamSynchronize(stream), 700)
attack.refused("was freed by cudaFreeAsync", world.premulsum, world, "float32", scalar)
