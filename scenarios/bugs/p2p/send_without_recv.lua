scenario {
  ranks   = 2,
  about   = "a send that nobody receives",
  outcome = { hang = { culprit = 1, call = 1, waiting = { 0 }, why = "send-without-recv" } },
}

local x = cuda.buffer("float32", 1024):fill(1)
if rank == 0 then
  world:send(x, 1)
  stream:sync()
end
