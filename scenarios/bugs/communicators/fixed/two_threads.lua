scenario {
  about  = "the mended two_threads: the second thread submits when the first has, on every rank",
  matrix = { ranks = { 2, 4, 8 } },
}

local rows = world:split { color = 0, name = "rows" }
local x, y = cuda.buffer("float32", 64):fill(1), cuda.buffer("float32", 64):fill(1)
world:all_reduce(x)
rows:all_reduce(y)
stream:sync()

local turn = "turn" .. rank -- a lock that is handed on, so that it gives the same order everywhere
local worker = spawn(function()
  sleep(0.002)
  store:get(turn)
  rows:all_reduce(y)
end)
sleep(rank == nranks - 1 and 0.004 or 0.001)
world:all_reduce(x)
store:set(turn, true)
worker:join()
stream:sync()
expect.equal(x, nranks ^ 2)
expect.equal(y, nranks ^ 2)
