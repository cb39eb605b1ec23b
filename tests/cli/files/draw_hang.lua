-- Calls that are never over, for their drawing.
scenario { ranks = 4, params = { how = "missing" }, outcome = { hang = {} } }

local x = cuda.buffer("float32", 8):fill(rank)
local late = rank == nranks - 2
world:all_reduce(x)
if param.how == "missing" and not late then
    world:all_reduce(x)
elseif param.how == "odds" then
    if late then
        world:broadcast(x, { root = 1 })
    else
        world:all_reduce(x)
    end
elseif param.how == "send" and rank ~= 0 then
    world:send(x, rank - 1)
    world:recv(x, (rank + 1) % nranks)
elseif param.how == "behind" then
    if late then
        store:get("never")
    end
    world:all_reduce(x)
    world:all_gather(cuda.buffer("float32", 8 * nranks))
elseif param.how == "root" and rank ~= 1 then
    world:scatter(nil, x, { root = 1 })
end
stream:sync()
