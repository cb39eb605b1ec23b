scenario {
  about  = "the mended lost_in_loop: the scratch memory is freed on every way out of the step",
  params = { culprit = 0 },
  matrix = { ranks = { 2, 4 }, culprit = { 0, 1 } },
}

local x = cuda.buffer("float32", 256):fill(1)
for step = 1, 6 do
  local scratch = C.check(C.cudaMalloc(1024))
  C.check(C.cudaMemcpyAsync(scratch, x, 1024, C.cudaMemcpyDeviceToDevice, stream))
  world:all_reduce(x, { op = "max" })
  stream:sync()
  C.check(C.cudaFree(scratch))
  if rank == param.culprit and step % 2 == 0 then goto continue end -- nothing to evaluate: on to the next step
  ::continue::
end
expect.equal(x, 1)
