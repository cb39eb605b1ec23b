scenario { ranks = 2, about = "errors that a program has to handle, at the call that it has to handle" }

fault.fail { rank = 1, func = "cudaMalloc", nth = 2, code = "cudaErrorMemoryAllocation" }
fault.async_error { rank = 0, call = 2, code = "ncclRemoteError" }

local x = cuda.buffer("float32", 64):fill(1)
if rank == 1 then
  local e = expect.error("cudaErrorMemoryAllocation", cuda.buffer, "float32", 64)
  expect.that(e.call == "cudaMalloc")
end

world:all_reduce(x)
stream:sync()
expect.equal(x, nranks)

if rank == 0 then
  expect.that(world:async_error() == "ncclSuccess")
  expect.error("ncclRemoteError", world.all_reduce, world, x)
  expect.that(world:async_error() == "ncclRemoteError")
  world:abort() -- destroying it would fail with that error too
end
