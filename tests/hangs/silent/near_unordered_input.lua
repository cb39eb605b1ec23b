-- Like cases/unordered_input.lua, but the producer comes first: by an event, by the legacy stream.
scenario { ranks = 2 }

local x, side, e = cuda.buffer("int32", 16), cuda.stream(), cuda.event()
side:delay(1e-3)
x:fill(1, { stream = side })
e:record(side)
stream:wait(e)
world:all_reduce(x)
stream:sync()
expect.equal(x, 2)

local blocking = cuda.stream { blocking = true }
x:fill(3, { stream = cuda.legacy_stream })
world:all_reduce(x, { stream = blocking })
x:add(x, { stream = cuda.legacy_stream })
expect.equal(x, 12)
