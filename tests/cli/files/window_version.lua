-- What registering a window says by version: nothing to register, an odd start, and no window to end.
scenario { ranks = 2 }
local x = cuda.buffer("float32", 4096)
local rc, window = C.ncclCommWindowRegister(world, x, 0, 1)
local odd, other = C.ncclCommWindowRegister(world, x.ptr + 64, 64, 1)
print(rc, window, odd, other ~= nil, C.ncclGetLastError(nil))
