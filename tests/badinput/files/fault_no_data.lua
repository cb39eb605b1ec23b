scenario { ranks = 2, needs = { nccl = "2.29" } }
fault.corrupt { rank = 0, call = 1 }
if rank == 0 then world:signal(1) end
if rank == 1 then world:wait_signal(0) end
