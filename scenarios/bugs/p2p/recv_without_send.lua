scenario {
  ranks   = 2,
  about   = "a receive that nobody sends to",
  outcome = { hang = { culprit = 0, call = 1, waiting = { 1 }, why = "recv-without-send" } },
}

local x = cuda.buffer("float32", 1024)
if rank == 1 then
  world:recv(x, 0)
  stream:sync()
end
