-- status: 0
-- Memory of NCCL's, freed by the pointer that a window gives.
scenario { ranks = 1 }

local attack = require "attack"
local x = cuda.buffer("uint8", 4096, { memory = "nccl" }):fill(0)
local w = world:window(x)
local _, alias = C.ncclWinGetUserPtr(world, w)
C.check(C.ncclMemFree(alias))
attack.through_c(x)
attack.through_methods(x, "was freed by ncclMemFree at line 9")
print(w, w.buffer)
print(w.ptr)
w:deregister()
