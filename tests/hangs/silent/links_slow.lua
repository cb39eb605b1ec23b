scenario {
  ranks = 3,
  about = "links that are slow add up, as long as it takes; who does not use them is not late",
}

local x = cuda.buffer("int32", 8):fill(1)
fault.link { rank = 0, peer = 1, seconds = 3 }
fault.link { rank = 1, peer = 0, seconds = 4 }
barrier()
if rank == 0 then world:send(x, 1) elseif rank == 1 then world:recv(x, 0) end
stream:sync()
expect.that(rank == 2 or clock() >= 7)
expect.that(rank ~= 2 or clock() < 1)
for _ = 1, 3 do fault.link { rank = 1, peer = 2, seconds = 8e9 } end
barrier()
world:all_reduce(x)
stream:sync()
expect.equal(x, 3)
