-- Each is in order: deregistered first; its communicator gone before; other memory than the registered; freed by
-- the end of the script.
scenario { ranks = 2, about = "memory is freed after its registrations", needs = { nccl = "2.29" } }

local function buffer() return cuda.buffer("float32", 256, { memory = "nccl" }):fill(1) end

local x, y = buffer(), buffer()
local registration, window = world:register(x), world:window(x, { symmetric = true })
y:free()
window:deregister()
registration:deregister()
x:free()

local pair = world:split { color = 0 }
local z = buffer()
local first, second = pair:register(z), pair:register(z)
pair:window(z, { symmetric = true })
first:deregister()
pair:destroy()
z:free()

do
  local p <close> = buffer()
  local w <close> = world:window(p, { symmetric = true })
end

local last = buffer()
world:register(last)
world:window(last, { symmetric = true })
stream:sync()
