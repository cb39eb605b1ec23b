scenario {
  ranks = 2,
  needs = { gpus = 2 }, -- of all streams of a GPU one callback runs at a time, and these two wait for each other
  about = "a callback runs at its place in a stream, and what is behind it waits",
}

local x, y = cuda.buffer("float32", 64):fill(rank + 1), cuda.buffer("float32", 64):fill(0)
local trail = {}

-- The callback runs once the all-reduce is over. It may take its time, and wait for its rank's host and for other
-- ranks; the copy behind it waits for it. Nothing of CUDA or NCCL can be called in there.
world:all_reduce(x)
stream:callback(function()
  store:get("asked on rank " .. rank)
  trail[#trail + 1] = "callback"
  store:set("rank " .. rank, clock())
  store:get("rank " .. 1 - rank)
  local e = expect.error("cudaErrorNotPermitted", x.get, x)
  expect.equal(e.code, 800)
  expect.error("ncclUnhandledCudaError", world.all_reduce, world, x)
end)
y:copy_from(x, { stream = stream })

trail[#trail + 1] = "host"
expect.that(not stream:query(), "the stream waits for the callback")
store:set("asked on rank " .. rank, true)
stream:sync()
expect.that(table.concat(trail, " ") == "host callback", "the host did not wait for it")
expect.equal(y, nranks * (nranks + 1) / 2)

-- Of several streams of a device one callback runs at a time.
local other, inside, most = cuda.stream(), 0, 0
local function count()
  inside = inside + 1
  most = math.max(most, inside)
  sleep(1e-3)
  inside = inside - 1
end
for _ = 1, 3 do
  stream:callback(count)
  other:callback(count)
end
cuda.sync()
expect.equal(most, 1)
