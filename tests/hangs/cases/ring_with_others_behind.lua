-- Two ranks wait for each other, six behind them.
scenario { ranks = 8, outcome = { hang = {} } }
local x = cuda.buffer("float32", 4):fill(1)
if rank < 2 then
  world:send(x, 1 - rank)
  world:recv(x, 1 - rank)
end
world:all_reduce(x)
stream:sync()
