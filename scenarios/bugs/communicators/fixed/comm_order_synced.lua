scenario {
  about  = "the mended comm_order_synced: one order, and the hosts may wait in between",
  params = { wait = "stream" },
  matrix = { ranks = { 2, 4 }, wait = { "stream", "device", "value" } },
}

local rows = world:split { color = 0, name = "rows" }
rows.stream = cuda.stream()
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)

local function sum(comm, buffer)
  comm:all_reduce(buffer)
  if param.wait == "stream" then comm.stream:sync()
  elseif param.wait == "device" then cuda.sync()
  else comm.stream:sync() print(buffer[1] > 0) end
end

for _ = 1, 2 do -- a wait does no harm when all ranks go through the communicators in one order
  sum(world, x)
  sum(rows, y)
end
expect.equal(x, nranks ^ 2)
expect.equal(y, nranks ^ 2)
