"""Correct programs, first part: training with hooks, plans, stages, experts, graphs and overlap.

A line's end says what people get wrong there: `--@KIND VARIABLES` (see bugs.py), where the variables are those that
a condition may name. `$(NAME)` is a number that was drawn."""
import re


def text(source, **drawn):
    return re.sub(r"\$\((\w+)\)", lambda m: str(drawn[m.group(1)]), source.strip("\n")) + "\n"


def choose(draw, *all):
    return draw.choice(all)


def hooks(draw):
    n, layers, steps = choose(draw, 3, 4, 4, 6, 8, 12), draw.randint(2, 4), draw.randint(2, 3)
    sizes = ", ".join(str(draw.choice((4, 8, 8, 16, 24))) for _ in range(layers))
    reduce = draw.choice((
        """
    comm:all_reduce(bucket.grad, { op = "sum", stream = side })  --@call step layer""", """
    comm:reduce_scatter(bucket.grad, bucket.shard, { stream = side })  --@call step layer
    comm:all_gather(bucket.shard, bucket.grad, { stream = side })  --@call step layer"""))
    log = draw.choice((
        "  world:all_reduce(loss, { op = \"max\" })  --@call step\n  stream:sync()  --@sync step",
        "  if step % 2 == 0 then\n    world:reduce(loss, { root = 0 })  --@call step\n  end\n  stream:sync()",
        "  world:all_gather(loss, losses)  --@call step\n  stream:sync()  --@sync step\n  barrier()  --@barrier step"))
    comm = draw.choice(("world", 'world:split { color = 0, key = rank, name = "dp" }'))
    return n, text("""
local sizes = { $(sizes) }
local comm = $(comm)
local side = cuda.stream { blocking = false }
local hooks, buckets = {}, {}
local loss, losses = cuda.buffer("float32", 1):fill(rank), cuda.buffer("float32", nranks):fill(0)

local function register(layer, fn)
  hooks[layer] = hooks[layer] or {}
  table.insert(hooks[layer], fn)
end

for layer, size in ipairs(sizes) do
  local bucket = {
    grad = cuda.buffer("float32", size * nranks):fill(0),  --@buffer layer
    shard = cuda.buffer("float32", size):fill(0),
    ready = cuda.event(),
  }
  buckets[layer] = bucket
  register(layer, function(step)  --@hook layer
    bucket.ready:record(stream)
    side:wait(bucket.ready)  --@wait step layer$(reduce)
  end)
end

local function backward(step)
  for layer = #sizes, 1, -1 do
    buckets[layer].grad:fill(rank + step, { stream = stream })
    for _, hook in ipairs(hooks[layer] or {}) do
      hook(step)  --@skipline step layer
    end
  end
end

for step = 1, $(steps) do  --@loop
  backward(step)
  side:sync()  --@sync step
  for layer, bucket in ipairs(buckets) do
    expect.equal(bucket.grad, nranks * (nranks - 1) / 2 + nranks * step)
  end
$(log)
end
stream:sync()
""", sizes=sizes, steps=steps, reduce=reduce, log=log, comm=comm)


def plan(draw):
    n = choose(draw, 4, 4, 6, 8, 8)
    kinds = []
    for _ in range(draw.randint(4, 7)):
        comm = draw.choice(("world", "pair", "half"))
        k = draw.choice((4, 8, 12, 16))
        what = draw.choice(("sum", "sum", "gather", "bcast", "scatter", "max"))
        kinds.append('{ op = "%s", on = "%s", count = %d%s },  --@plan' % (
            what, comm, k, ", root = %d" % draw.randint(0, 1) if what == "bcast" else ""))
    run = draw.choice(("""
local function execute(list, round)
  for at, step in ipairs(list) do
    ops[step.op](comms[step.on], step)  --@skipline round at
  end
end""", """
local Executor = {}
Executor.__index = Executor
function Executor.new(list) return setmetatable({ list = list, at = 0 }, Executor) end
function Executor:step()
  self.at = self.at + 1
  local step = self.list[self.at]
  if step then ops[step.op](comms[step.on], step) end
  return step ~= nil
end
local function execute(list, round)
  local run = Executor.new(list)
  while run:step() do end
end"""))
    return n, text("""
local comms = {
  world = world,
  pair = world:split { color = rank // 2, key = rank, name = "pair" .. rank // 2 },
  half = world:split { color = rank % 2, key = rank, name = "half" .. rank % 2 },
}
local x = cuda.buffer("float32", 16):fill(rank)
local wide = cuda.buffer("float32", 16 * nranks):fill(0)

local ops = {
  sum = function(c, s) c:all_reduce(x, { count = s.count }) end,  --@call
  max = function(c, s) c:all_reduce(x, { op = "max", count = s.count }) end,  --@call
  gather = function(c, s) c:all_gather(x, wide, { count = s.count }) end,  --@call
  bcast = function(c, s) c:broadcast(x, { root = s.root, count = s.count }) end,  --@call
  scatter = function(c, s) c:reduce_scatter(wide, x, { count = s.count }) end,  --@call
}

local plan = {
  $(entries)
}  --@endplan plan
$(run)

for round = 1, $(rounds) do  --@loop
  x:fill(rank + round, { stream = stream })
  execute(plan, round)  --@skipline round
  stream:sync()
end
""", entries="\n  ".join(kinds), run=run, rounds=draw.randint(1, 3))


def stages(draw):
    """Pipeline stages as objects: all forward and then all backward, or one of each in turn."""
    stages, tp = choose(draw, (3, 1), (4, 1), (4, 2), (3, 2), (6, 1), (4, 4))
    inner = "  self.tp:all_reduce(self.act)  --@call micro\n" if tp > 1 else ""
    plain = """
function Stage:run(step)
  for micro = 1, M do  --@loop
    self:take(micro)  --@skipline step micro
    self:give(micro)
  end
  for micro = M, 1, -1 do
    self:take_back(micro)
    self:give_back(micro)  --@skipline step micro
  end
end"""
    turns = """
function Stage:give_and_take_back(micro)
  nccl.group(function()  --@group micro
    if self.next then
      self.pp:send(self.act, self.next)  --@call micro
      self.pp:recv(self.grad, self.next)  --@call micro
    end
  end)
end

function Stage:give_back_and_take(micro)
  nccl.group(function()  --@group micro
    if self.prev then
      self.pp:send(self.grad, self.prev)  --@call micro
      self.pp:recv(self.act, self.prev)  --@call micro
    end
  end)
end

function Stage:run(step)
  local warm = math.min(stages - 1 - stage, M)
  for micro = 1, warm do  --@loop
    self:take(micro)
    self:give(micro)  --@skipline step micro
  end
  if warm < M then self:take(warm + 1) end
  for micro = warm + 1, M do
    self:give_and_take_back(micro)  --@skipline step micro
    if micro == M then
      self:give_back(micro)
    else
      self:give_back_and_take(micro)  --@skipline step micro
    end
  end
  for micro = 1, warm do
    self:take_back(micro)  --@skipline step micro
    self:give_back(micro)
  end
end"""
    tail = draw.choice(("", "  world:all_reduce(norm, { op = \"max\" })  --@call step\n",
                        "  dp:all_reduce(norm, { op = \"max\" })  --@call step\n"))
    return stages * tp, text("""
local TP, stages, M = $(tp), $(stages), $(micro)
local stage = rank // TP
local pp = world:split { color = rank % TP, key = stage, name = "pp" .. rank % TP }
local tp = world:split { color = stage, key = rank, name = "tp" .. stage }
local dp = world:split { color = 0, key = rank, name = "dp" }
local norm = cuda.buffer("float32", 1):fill(1)

local Stage = {}
Stage.__index = Stage

function Stage.new(at)
  return setmetatable({
    pp = pp, tp = tp,
    prev = at > 0 and at - 1 or nil,  --@peer
    next = at < stages - 1 and at + 1 or nil,  --@peer
    act = cuda.buffer("float32", $(size)):fill(at),  --@buffer
    grad = cuda.buffer("float32", $(size)):fill(at),
  }, Stage)
end

function Stage:take(micro)
  if self.prev then
    self.pp:recv(self.act, self.prev)  --@call micro
  end
$(inner)end

function Stage:give(micro)
  if self.next then
    self.pp:send(self.act, self.next)  --@call micro
  end
end

function Stage:take_back(micro)
  if self.next then
    self.pp:recv(self.grad, self.next)  --@call micro
  end
end

function Stage:give_back(micro)
  if self.prev then
    self.pp:send(self.grad, self.prev)  --@call micro
  end
end
$(run)

local mine = Stage.new(stage)
for step = 1, $(steps) do  --@loop
  mine:run(step)
  stream:sync()
$(tail)end
stream:sync()
""".replace("$(run)", draw.choice((plain, turns))), tp=tp, stages=stages, micro=draw.randint(2, 4), steps=draw.randint(1, 2),
                              size=choose(draw, 4, 8, 32), inner=inner, tail=tail)


def experts(draw):
    ep = choose(draw, 2, 4, 4)
    n = ep * choose(draw, 1, 2, 2, 3) if ep == 4 else ep * choose(draw, 2, 3, 4)
    layers, steps = draw.randint(2, 3), draw.randint(1, 3)
    shared = draw.random() < .5
    dup = '\nlocal stats = world:split { color = 0, key = rank, name = "stats" }  -- a duplicate for the counters' if shared else "\nlocal stats = world"
    return n, text("""
local EP = $(ep)
local ep = world:split { color = rank // EP, key = rank, name = "ep" .. rank // EP }
local dp = world:split { color = rank % EP, key = rank, name = "dp" .. rank % EP }$(dup)
local tokens, routed = cuda.buffer("float32", $(k) * EP):fill(rank), cuda.buffer("float32", $(k) * EP):fill(0)
local load, dense = cuda.buffer("int32", EP):fill(1), cuda.buffer("float32", 16):fill(1)

local function dispatch(step, layer)
  ep:all_to_all(tokens, routed)  --@call step layer
end

local function combine(step, layer)
  ep:all_to_all(routed, tokens)  --@call step layer
end

local Moe = {}
Moe.__index = Moe
function Moe:forward(step)
  dispatch(step, self.layer)
  if self.count then
    stats:all_reduce(load, { op = "max" })  --@call step
  end
  combine(step, self.layer)
end

local Dense = {}
Dense.__index = Dense
function Dense:forward(step)
  dp:all_reduce(dense, { op = "max" })  --@call step
end

local model = {}
for layer = 1, $(layers) do
  table.insert(model, setmetatable({ layer = layer, count = layer % 2 == 0 }, Moe))  --@hook layer
  table.insert(model, setmetatable({ layer = layer }, Dense))  --@hook layer
end

for step = 1, $(steps) do  --@loop
  for i, block in ipairs(model) do
    block:forward(step)  --@skipline step i
  end
  ep:all_reduce(load, { op = "max", count = 1 })  --@call step
  world:broadcast(dense, { root = step % nranks })  --@call step
end
stream:sync()
expect.equal(tokens, rank)
""", ep=ep, dup=dup, k=choose(draw, 2, 4, 8), layers=layers, steps=steps)


def graphs(draw):
    n = choose(draw, 2, 3, 4, 4, 8)
    shapes = draw.sample((4, 8, 16, 32), draw.randint(2, 3))
    requests = [draw.choice(shapes) for _ in range(draw.randint(3, 6))]
    requests[:len(shapes)] = shapes
    draw.shuffle(requests)
    body = draw.choice((
        "      tp:all_reduce(x, { count = size, op = \"max\" })  --@call size layer",
        "      tp:all_reduce(x, { count = size, op = \"max\" })  --@call size layer\n"
        "      tp:all_gather(x, wide, { count = size })  --@call size layer",
        "      tp:reduce_scatter(wide, x, { count = size, op = \"max\" })  --@call size layer\n"
        "      tp:broadcast(x, { count = size, root = 0 })  --@call size layer"))
    sample = draw.choice(("", "  world:broadcast(token, { root = 0 })  --@call at\n  stream:sync()\n", "  stream:sync()\n  barrier()  --@barrier at\n"))
    end_ = draw.choice(("", "for _, graph in pairs(graphs) do graph:destroy() end  --@gdestroy\ntp:destroy()\n"))
    return n, text("""
local tp = world:split { color = 0, key = rank, name = "tp" }
local x, wide = cuda.buffer("float32", 32):fill(1), cuda.buffer("float32", 32 * nranks):fill(1)
local token = cuda.buffer("int32", 1):fill(7)
local graphs, shapes = {}, { $(shapes) }

tp:all_reduce(x, { op = "max" })  -- warm up
stream:sync()
for _, size in ipairs(shapes) do
  graphs[size] = cuda.graph(stream, function()
    for layer = 1, $(layers) do  --@loop
$(body)
    end
  end)
end

local requests = { $(requests) }  --@table requests
for at, size in ipairs(requests) do
  graphs[size]:launch(stream)  --@graph at size
$(sample)end
stream:sync()
$(end)""", shapes=", ".join(map(str, shapes)), requests=", ".join(map(str, requests)), layers=draw.randint(1, 3), body=body,
                 sample=sample, **{"end": end_})


def overlap(draw):
    """Shards are gathered one layer ahead on a stream of their own; gradients leave on a third."""
    n, layers, steps = choose(draw, 2, 4, 4, 6, 8), draw.randint(2, 4), draw.randint(1, 3)
    second = draw.choice(("world", 'world:split { color = 0, key = rank, name = "grads" }'))
    return n, text("""
local gather_comm, grad_comm = world:split { color = 0, key = rank, name = "params" }, $(second)
local fetch, push = cuda.stream { blocking = false }, cuda.stream { blocking = false }
gather_comm.stream = fetch
local L, K = $(layers), $(k)
local shard, full, grad, out = {}, {}, {}, {}
for layer = 1, L do
  shard[layer] = cuda.buffer("float32", K):fill(layer)
  grad[layer] = cuda.buffer("float32", K * nranks):fill(0)
  out[layer] = cuda.buffer("float32", K):fill(0)
end
for slot = 0, 1 do full[slot] = cuda.buffer("float32", K * nranks):fill(0) end

local function prefetch(step, layer)
  if layer > L then return nil end
  gather_comm:all_gather(shard[layer], full[layer % 2])  --@call step layer
  return cuda.event():record(fetch)
end

local function compute(step, layer)
  grad[layer]:copy_from(full[layer % 2], { stream = stream })
end

for step = 1, $(steps) do  --@loop
  local ready = prefetch(step, 1)
  for layer = 1, L do
    stream:wait(ready)  --@wait step layer
    compute(step, layer)
    local used = cuda.event():record(stream)
    fetch:wait(used)
    ready = prefetch(step, layer + 1)
    push:wait(used)  --@wait step layer
    grad_comm:reduce_scatter(grad[layer], out[layer], { stream = push })  --@call step layer
  end
  push:sync()  --@sync step
  for layer = 1, L do expect.equal(out[layer], nranks * layer) end
end
fetch:sync()
stream:sync()
""", second=second, layers=layers, k=choose(draw, 2, 4, 8), steps=steps)


SHAPES = (hooks, plan, stages, experts, graphs, overlap)
