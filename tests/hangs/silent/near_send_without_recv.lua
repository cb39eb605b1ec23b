scenario { ranks = 3, about = "the receive comes long after the send, behind other work, and in another order of senders" }

local x, y = cuda.buffer("int32", 8):fill(rank), cuda.buffer("int32", 16)
if rank < 2 then
  world:send(x, 2)
  world:send(x, 2)
else
  stream:delay(600)
  world:recv(y:slice(1, 8), 1)
  sleep(600)
  world:recv(y:slice(9, 8), 0)
  for peer = 0, 1 do world:recv(y:slice(1 + 8 * peer, 8), peer) end
end
stream:sync()
if rank == 2 then
  expect.equal(y, function(i) return i > 8 and 1 or 0 end)
end
