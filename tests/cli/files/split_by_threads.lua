-- A thread for each device, and each of them splits: all groups have the name that was given.
scenario { ranks = 1, world = false, needs = { gpus = 4 } }

local function work(comm)
    cuda.set_device(comm.device)
    local s, x = cuda.stream(), cuda.buffer("int32", 1):fill(comm.rank)
    local pair = comm:split { color = comm.rank // 2, name = "pair" }
    pair:all_reduce(x, { stream = s })
    s:sync()
end

local workers = {}
for i, comm in ipairs(nccl.init_all(4)) do
    workers[i] = spawn(work, comm)
end
for _, worker in ipairs(workers) do
    worker:join()
end
