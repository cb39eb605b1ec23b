scenario { ranks = 4, about = "what ranks exchange besides NCCL: a store and a barrier" }

-- get waits until somebody has set the key.
store:set("host of " .. rank, { gpus = 8, rank = rank })
local peer = store:get("host of " .. (rank + 1) % nranks)
expect.equal(peer.rank, (rank + 1) % nranks)

-- A time-out, for keys that may never come: no error, but nil.
expect.equal(store:get("nobody sets this", { timeout = 2 }), nil)

-- add counts atomically: after the barrier everybody has been counted.
store:add("arrived", 1)
barrier()
expect.equal(store:add("arrived", 0), nranks)

-- A barrier of some; the others pass by.
if rank < 2 then
  barrier { ranks = { 0, 1 } }
end
