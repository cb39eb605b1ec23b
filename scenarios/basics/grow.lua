scenario {
  ranks = 4, needs = { nccl = "2.29.2" },
  about = "three ranks become four, and the new one needs nothing but an id",
}

local team = world:split { color = rank < 3 and 0 or nccl.NOCOLOR }
local more

if rank == 3 then
  more = nccl.grow(4, store:get("id"), 3)
else
  -- One of the old ranks asks for the id, which is good for one growth. They keep their numbers.
  local id
  if rank == 1 then
    id = team:unique_id()
    store:set("id", id)
  end
  more = team:grow(4, { id = id })
  team:destroy()
end

expect.equal(more.rank, rank)
expect.equal(more.nranks, 4)
expect.equal(more.name, "world/split1.0/grow1")
local x = cuda.buffer("float64", 16):fill(rank + 1)
more:all_reduce(x)
stream:sync()
expect.equal(x, 10)
