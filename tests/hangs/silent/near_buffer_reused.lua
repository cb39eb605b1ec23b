-- Like cases/buffer_reused.lua and buffer_freed.lua, but in the order of the stream, or by a free that
-- waits for the device.
scenario { ranks = 2 }

local x, y = cuda.buffer("int32", 16):fill(1), cuda.buffer("int32", 16)
world:all_reduce(x, y)
x:fill(7, { stream = stream })
world:all_reduce(x)
x:free { stream = stream }
world:all_reduce(y)
y:free()

local a, b = cuda.buffer("int32", 16), cuda.buffer("int32", 16)
for step = 1, 4 do -- two buffers in turn
  a, b = b, a
  a:fill(step)
  world:all_reduce(a)
  if step % 2 == 0 then stream:sync() end
end
expect.equal(a, 8)
