-- status: 0
-- command: repl -n 2
-- prints: (freed)
-- never: 65
-- One rank has lost its buffer, the other has it: their replies are compared and shown side by side.
x = cuda.buffer("uint8", 4096):fill(7)
@1 _, a = C.cudaPointerGetAttributes(x)
@1 C.cudaFree(a.devicePointer)
@1 s = {} for i = 1, 200 do s[i] = ("A"):rep(4000 + 4 * i) end
x
:buffers
world:all_reduce(x)
:draw
