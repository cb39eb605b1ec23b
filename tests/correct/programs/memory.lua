-- Buffers, and what must be in them: looked at when all streams have been waited for, then freed.
local memory = {}

local pending, keep, at_end = {}, {}, {}
local streams = { stream }

-- Kinds of memory that kernels reach.
memory.kinds = { "device", "device", "device", "nccl", "managed", "pinned" }

function memory.take(dtype, count, kind)
    local x = cuda.buffer(dtype, count, { memory = kind or "device" })
    keep[#keep + 1] = x
    return x
end

function memory.stream()
    local s = cuda.stream()
    streams[#streams + 1] = s
    return s
end

function memory.streams()
    return streams
end

-- From the next wait on x has these elements: want(i), nil where it is not known.
function memory.expect(x, want)
    pending[#pending + 1] = { x = x, want = want }
end

local function check(x, want)
    if #x == 0 or want(1) == nil then return end
    expect.equal(x, want)
end

-- What is to be done when all streams have been waited for.
function memory.later(action)
    at_end[#at_end + 1] = action
end

-- Waits for everything in the way given, looks, and frees.
function memory.settle(way, checks)
    if way == "device" then
        cuda.sync()
    end
    for _, s in ipairs(streams) do
        if way == "events" then
            local e = cuda.event()
            e:record(s)
            e:sync()
            e:destroy()
        elseif way == "queries" then
            while not s:query() do sleep(1e-6) end
        end
        s:sync()
    end
    for _, p in ipairs(pending) do
        if checks then check(p.x, p.want) end
    end
    for _, action in ipairs(at_end) do action() end
    for _, x in ipairs(keep) do x:free() end
    pending, keep, at_end = {}, {}, {}
end

return memory
