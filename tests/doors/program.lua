-- The calls of program.c.
scenario {
  ranks = 8, world = false, params = { bug = "none" },
}

local count, steps, layers = 64, 3, 2
local half, odd = nranks // 2, nranks * 5 // 8
local stream = cuda.stream()
local x, y = cuda.buffer("float32", count * nranks):fill(0), cuda.buffer("float32", count * nranks):fill(0)
local world, tp, dp

local function is(name) return param.bug == name end
local function errs(name) return rank == odd and is(name) end
local function slips(step, name) return step == 1 and errs(name) end
local function options(n, more)
  local all = { count = n or count, stream = stream }
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end

local function begin()
  if rank == 0 then store:set("id", nccl.unique_id()) end
  world = nccl.init_rank(nranks, store:get("id"), rank)
  tp = world:split { color = rank // half, key = rank }
  if not errs("split-fewer") then dp = world:split { color = rank % half, key = rank } end
end

local function reduce_layer(step)
  if not tp or slips(step, "skip-tp") then return end
  if slips(step, "wrong-comm") then
    dp:all_reduce(x, options())
  elseif slips(step, "kind") then
    tp:all_gather(x, y, options())
  elseif slips(step, "count") then
    tp:all_reduce(x, options(count - 1))
  else
    tp:all_reduce(x, options())
  end
  if slips(step, "extra") then tp:all_reduce(x, options()) end
end

local function exchange(step)
  local next, last = (rank + 1) % nranks, (rank - 1) % nranks
  if slips(step, "wrong-peer") then next = (rank + 2) % nranks end
  local grouped = step ~= 1 or not is("p2p-cycle")
  if grouped then C.check(C.ncclGroupStart()) end
  if not slips(step, "no-send") then world:send(x, next, options()) end
  if not slips(step, "no-recv") then world:recv(y, last, options()) end
  if grouped and not slips(step, "no-group-end") then C.check(C.ncclGroupEnd()) end
  stream:sync()
end

local half_of = { float16 = cuda.buffer("float16", count * nranks):fill(0), out = cuda.buffer("float16", count * nranks):fill(0) }
local function scatter_gradients(step)
  if slips(step, "skip-dp") then return end
  if slips(step, "dtype") then
    dp:reduce_scatter(half_of.float16, half_of.out, options())
  else
    dp:reduce_scatter(x, y, options())
  end
end

local function update(step)
  local other = is("swap") and step == 1 and (rank // half + rank % half) % 2 == 1
  for turn = 0, 1 do
    if (turn == 0) ~= other then
      if tp then tp:all_reduce(y, options(2, { op = "max" })) end
    else
      dp:all_gather(y, x, options())
    end
  end
end

local function train()
  for step = 0, steps - 1 do
    if slips(step, "early-destroy") then
      tp:destroy()
      tp = nil
    end
    if slips(step, "abort") then
      tp:abort()
      dp:abort()
      world:abort()
      return false
    end
    if slips(step, "exit") then return false end
    if errs("short") and step == steps - 1 then return true end
    for i = 0, layers - 1 do reduce_layer(i == 1 and step or -1) end
    exchange(step)
    scatter_gradients(step)
    update(step)
    if not slips(step, "skip-world") then
      world:all_reduce(y, options(1, { op = slips(step, "op") and "max" or "sum" }))
    end
    stream:sync()
  end
  return true
end

local function main()
  if errs("no-init") then return end
  begin()
  world:broadcast(x, options(count, { root = errs("root") and 1 or 0 }))
  stream:sync()
  if not train() then return end
  if not errs("skip-last") then world:all_reduce(x, options(1)) end
  stream:sync()
  if tp then tp:destroy() end
  if not errs("no-destroy") then dp:destroy() end
  world:destroy()
end

main()
