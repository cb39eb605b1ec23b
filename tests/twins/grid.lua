scenario {
  about = "rows and columns of a grid, each a communicator of its own",
  params = { rows = 2, columns = 3 },
  ranks = function(param) return param.rows * param.columns end,
}

local row = world:split { color = rank // param.columns }
local col = world:split { color = rank % param.columns, key = -rank }
local odd
if rank == 1 then store:set("odd", nccl.unique_id()) end
if rank % 2 == 1 then
  odd = nccl.init_rank(3, store:get("odd"), rank // 2)
end
local x = cuda.buffer("float32", 8):fill(rank)

expect.that(row.nranks == param.columns and row.rank == rank % param.columns)
expect.that(col.rank == 1 - rank // param.columns, "the key turns the order")
row:all_reduce(x)
col:all_reduce(x)
stream:sync()
expect.equal(x, nranks * (nranks - 1) / 2)
if odd then
  odd:all_reduce(x, { op = "max" })
  stream:sync()
end
local rest
if rank > 0 then
  rest = world:shrink({ 0 })
  rest:all_reduce(x)
end
stream:sync()
row:destroy()
