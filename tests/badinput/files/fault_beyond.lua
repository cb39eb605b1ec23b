scenario { ranks = 2, needs = { nccl = "2.29" } }
local x = cuda.buffer("float32", 8, { memory = "nccl" }):fill(1)
local window = world:window(x, { symmetric = true })
fault.corrupt { rank = 0, call = 1, first = 3, count = 3 }
if rank == 0 then world:put_signal(x:slice(1, 4), 1, window, { first = 5 }) end
if rank == 1 then world:wait_signal(0) end
