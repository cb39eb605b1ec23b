scenario {
  ranks = 3,
  about = "faults that come, on the rank that they are for, with the last call",
}

local x = cuda.buffer("float32", 8):fill(1)
fault.slow { rank = 1, call = 2, seconds = 1 }
fault.fail { rank = 0, func = "cudaFree", nth = 1, code = "cudaErrorUnknown" }
world:all_reduce(x)
world:all_reduce(x)
stream:sync()
if rank == 0 then
  expect.error("cudaErrorUnknown", x.free, x)
elseif rank == 2 then
  fault.slow { rank = 2, call = 9, seconds = 1 } -- it is stopped before: that needs no word
  fault.kill()
end
