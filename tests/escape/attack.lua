-- What the attempts share.
local attack = {}

-- What calls of C copy from and to, made before anything is freed.
local host, other = C.host("uint8", 64):fill(7), cuda.buffer("uint8", 64):fill(7)

-- Memory that has been freed becomes Lua's own: strings of letters "A", which is 65.
local held = {}
function attack.spray(bytes)
    for i = 1, 200 do held[#held + 1] = ("A"):rep((bytes or 4096) + 4 * i - 400) end
end

-- fn raises an error with this text.
function attack.refused(text, fn, ...)
    local ok, e = pcall(fn, ...)
    expect.that(not ok, "nobody refuses it")
    expect.that(ok or tostring(e):find(text, 1, true), tostring(e))
end

-- Every method of a buffer whose memory has gone refuses, or shows that it has.
function attack.through_methods(x, text)
    local refused, y = attack.refused, cuda.buffer(x.dtype, x.count):fill(1)
    local letters = function() return 66 end
    attack.spray(x.bytes)
    expect.that(tostring(x):find("(freed)", 1, true), tostring(x))
    refused(text, function() return x[1] end)
    refused(text, function() return x[x.count] end)
    refused(text, function() x[1] = 66 end)
    refused(text, x.get, x)
    refused(text, x.get, x, 1, 2)
    refused(text, x.fill, x, 66)
    refused(text, x.fill, x, letters)
    refused(text, x.fill, x, "random")
    refused(text, x.fill, x, 66, { stream = stream })
    refused(text, x.fill, x, letters, { stream = stream })
    refused(text, x.copy_from, x, y)
    refused(text, x.copy_from, x, y, { stream = stream })
    refused(text, y.copy_from, y, x)
    refused(text, y.copy_from, y, x, { stream = stream })
    refused(text, x.add, x, y)
    refused(text, y.add, y, x)
    refused(text, x.dump, x)
    refused(text, x.slice, x, 2)
    refused(text, x.part, x, 0, 1)
    refused(text, expect.equal, x, 0)
    refused(text, expect.equal, y, x)
    refused(text, world.all_reduce, world, x)
    refused(text, world.all_reduce, world, y, x)
    refused(text, world.all_gather, world, x)
    refused(text, world.send, world, x, 0)
    refused(text, world.recv, world, x, 0)
    refused(text, world.premulsum, world, x.dtype, x)
    refused(text, world.window, world, x)
    refused(text, world.register, world, x)
    refused(text, x.free, x)
    expect.equal(y, 1)
end

-- Calls of C that read or write an address at which nothing is allocated fail, and leave `host` alone.
function attack.through_c(x)
    local device = C.cudaMemcpyDefault
    attack.spray(x.bytes)
    for _, p in ipairs { x, x.ptr, x.ptr + 1 } do
        expect.that(C.cudaMemcpy(host, p, 64, device) ~= 0)
        expect.that(C.cudaMemcpy(p, host, 64, device) ~= 0)
        expect.that(C.cudaMemcpy(other, p, 64, device) ~= 0)
        expect.that(C.cudaMemcpy(p, other, 64, device) ~= 0)
        expect.that(C.cudaMemcpyAsync(host, p, 64, device, stream) ~= 0)
        expect.that(C.cudaMemcpyAsync(p, host, 64, device, stream) ~= 0)
        expect.that(C.cudaMemcpy2D(host, 8, p, 8, 8, 8, device) ~= 0)
        expect.that(C.cudaMemcpy2D(p, 8, host, 8, 8, 8, device) ~= 0)
        expect.that(C.cudaMemset(p, 66, 64) ~= 0)
        expect.that(C.cudaMemsetAsync(p, 66, 64, stream) ~= 0)
        expect.that(C.cudaMemset2D(p, 8, 66, 8, 8) ~= 0)
        expect.that(C.cudaFree(p) ~= 0)
        expect.that(C.cudaFreeHost(p) ~= 0)
        expect.that(C.ncclMemFree(p) ~= 0)
        expect.that(C.cudaHostRegister(p, 64, 0) ~= 0)
        expect.that(C.cudaHostGetDevicePointer(p, 0) ~= 0)
    end
    expect.equal(host, 7)
    expect.equal(other, 7)
end

return attack
