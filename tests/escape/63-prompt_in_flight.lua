-- status: 0
-- command: repl -n 2
-- never: 65
-- A line waits in a collective whose memory a further line frees.
x = cuda.buffer("float32", 1024):fill(rank)
@0 world:all_reduce(x) stream:sync()
@1 other = cuda.stream { blocking = false }
@1 C.cudaFreeAsync(x, other) other:sync()
@1 s = {} for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
@1 C.ncclAllReduce(x, x, 1024, C.ncclFloat32, C.ncclSum, world, stream)
@1 stream:sync()
x
:why
:draw
