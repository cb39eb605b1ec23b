scenario {
  ranks = 4, devices = 2,
  sim = { capability = { 9.0, 9.0, 8.0 } }, needs = { driver = "sim" }, -- the second host has older GPUs
  about = "a machine of two generations of GPUs: the oldest decides what the whole communicator can do",
}

expect.equal(cuda.properties(0).major, rank < 2 and 9 or 8)

-- Each rank asks for its own GPU only, and would conclude that 8-bit floats can be reduced on half of them.
local x = cuda.buffer("float8e4m3", 16):fill(1)
expect.error("ncclInvalidArgument", function() world:all_reduce(x) end)

-- Data are only moved where nothing is added.
world:broadcast(x)
stream:sync()
expect.equal(x, 1)

-- The newer GPUs alone can.
local alike = world:split { color = rank < 2 and 0 or 1 }
if rank < 2 then
  alike:all_reduce(x)
  stream:sync()
  expect.equal(x, 2)
end
