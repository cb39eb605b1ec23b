scenario {
  ranks = 4, needs = { nccl = "2.28.9" },
  about = "one rank gives up: all revoke the communicator and split what is left of the work anew",
}

local x = cuda.buffer("float32", 1024):fill(1)
fault.fail { rank = 2, call = 2, code = "ncclSystemError" }
for _ = 1, 3 do
  local ok, why = pcall(world.all_reduce, world, x)
  if not ok then
    expect.that(why.name == "ncclSystemError", "only the call that was made to fail fails")
    store:set("failed", rank)
    break
  end
end

local failed = store:get("failed")
world:revoke() -- ends what stands on this rank; every rank has to
stream:sync()
expect.that(world.state == "revoked")

if rank ~= failed then -- who is left out makes no call
  local rest = world:shrink({ failed })
  x:fill(1)
  rest:all_reduce(x)
  stream:sync()
  expect.equal(x, nranks - 1)
end
