-- One buffer of rank 0 is two windows, which are different memory on rank 1: each put is looked at where it
-- goes.
scenario { ranks = 2 }

local x = cuda.buffer("int32", 4, { memory = "nccl" }):fill(rank)
local y = rank == 0 and x or cuda.buffer("int32", 4, { memory = "nccl" }):fill(8)
local first, second = world:window(x, { symmetric = true }), world:window(y, { symmetric = true })

if rank == 0 then
    x:fill(7)
    world:put_signal(x:slice(1, 2), 1, second, { first = 3 })
    world:put_signal(x:slice(1, 1), 1, first, { first = 1 })
else
    world:wait_signal({ { peer = 0, op_cnt = 2 } })
end
stream:sync()
if rank == 1 then
    expect.equal(x, { 7, 1, 1, 1 })
    expect.equal(y, { 8, 8, 7, 7 })
end
