scenario {
  ranks   = 2,
  world   = { blocking = false },
  about   = "a non-blocking communicator is used while it is still in progress",
  outcome = { error = "ncclInvalidArgument", rank = 0 },
}

world:wait_ready()
local x = cuda.buffer("float32", 4):fill(1)
if rank == 1 then
  sleep(1) -- the split cannot be over before
end
local half = world:split { color = 0 }

-- world is in progress until it says otherwise: world:wait_ready() belongs here.
world:all_reduce(x)
half:all_reduce(x)
