-- status: 0
-- What is registered is the script's own, once and as far as it goes.
scenario { ranks = 1 }

local attack = require "attack"
local host, x = C.host("uint8", 8192):fill(7), cuda.buffer("uint8", 4096):fill(0)
attack.refused("do not fit: the host memory", C.cudaHostRegister, host, 8193, 0)
attack.refused("do not fit: the host memory", C.cudaHostRegister, host.ptr + 8000, 4096, 0)
attack.refused("do not fit: the host memory", C.cudaHostRegister, host.ptr - 4096, 64, 0)
expect.that(C.cudaHostRegister(x, 4096, 0) ~= 0)
expect.that(C.cudaHostRegister(x.ptr + 4000, 4096, 0) ~= 0)
C.check(C.cudaHostRegister(host, 4096, 0))
expect.that(C.cudaHostRegister(host.ptr + 4095, 2, 0) ~= 0)
C.check(C.cudaHostRegister(host.ptr + 4096, 4096, 0))
expect.that(C.cudaMemset(host, 66, 8192) ~= 0)
expect.that(C.cudaHostUnregister(host.ptr + 1) ~= 0)
expect.that(C.cudaFreeHost(host) ~= 0)
expect.that(C.cudaFree(host) ~= 0)
C.check(C.cudaHostUnregister(host))
expect.that(C.cudaMemset(host, 66, 64) ~= 0)
expect.equal(host, 7)
local _, alias = C.cudaHostGetDevicePointer(host.ptr + 4096, 0)
C.check(C.cudaHostUnregister(alias))
host:free()
attack.refused("do not fit: the host memory", C.cudaMemcpy, host, x, 64, C.cudaMemcpyDefault)
expect.that(C.cudaMemcpy(alias, x, 64, C.cudaMemcpyDefault) ~= 0)
