-- A result that is spoilt is found, however many messages its rank has sent before.
scenario { ranks = 3, params = { move = "all_reduce" },
           matrix = { move = { "all_reduce", "all_gather", "reduce", "broadcast" } },
           outcome = { wrong = { rank = 2, first = 1 } } }

local x = cuda.buffer("int32", 1):fill(rank)
local a, b = cuda.buffer("int32", 4):fill(rank), cuda.buffer("int32", 4 * nranks)

if rank == 0 then world:send(x, 1) end
if rank == 1 then world:recv(x, 0) end
fault.corrupt { rank = 2, call = 2 }
for _ = 1, 2 do
    if param.move == "all_reduce" then world:all_reduce(a)
    elseif param.move == "all_gather" then world:all_gather(a, b)
    elseif param.move == "reduce" then world:reduce(a, { root = 2 })
    else world:broadcast(a, { root = 1 }) end
end
stream:sync()
