"""Correct programs, second part: roles that differ between ranks, request loops, trees, halos, elastic jobs."""
from training import choose, text


def server(draw):
    """A parameter server: objects with roles; the server serves what a request asks for."""
    n, rounds = choose(draw, 3, 4, 4, 5, 6, 8), draw.randint(2, 4)
    if draw.random() < .5:
        serve = """
function Server:serve(round)
  for worker = 1, nranks - 1 do
    world:recv(self.inbox, worker)  --@call round worker
    self.weights:add(self.inbox, { stream = stream })
  end
  for worker = 1, nranks - 1 do
    world:send(self.weights, worker)  --@call round worker
  end
end"""
        work = """
function Worker:work(round)
  self.grad:fill(rank, { stream = stream })
  world:send(self.grad, 0)  --@call round
  world:recv(self.weights, 0)  --@call round
end"""
        top, least = "", 1
    else:
        top = "local PUSH, PULL = 1, 2\n"
        serve = """
function Server:handle(worker, round)
  world:recv(self.request, worker)  --@call round worker
  stream:sync()
  if self.request[1] == PUSH then
    world:recv(self.inbox, worker)  --@call round worker
    self.weights:add(self.inbox, { stream = stream })
  else
    world:send(self.weights, worker)  --@call round worker
  end
end
function Server:serve(round)
  for phase = 1, 2 do
    for worker = 1, nranks - 1 do
      self:handle(worker, round)  --@skipline round worker
    end
  end
end"""
        work = """
function Worker:ask(code, round)
  self.request:fill(code, { stream = stream })
  world:send(self.request, 0)  --@call round code
end
function Worker:work(round)
  self.grad:fill(rank, { stream = stream })
  self:ask(PUSH, round)
  world:send(self.grad, 0)  --@call round
  self:ask(PULL, round)  --@skipline round
  world:recv(self.weights, 0)  --@call round
end"""
    finish = draw.choice(("", "world:broadcast(state.weights, { root = 0 })  --@call\n",
                          "world:all_reduce(state.count)  --@call\nbarrier()  --@barrier\n"))
    return n, text("""
$(top)local Server, Worker = {}, {}
Server.__index, Worker.__index = Server, Worker
$(serve)
$(work)

local state = {
  weights = cuda.buffer("float32", $(k)):fill(0), grad = cuda.buffer("float32", $(k)):fill(0),  --@buffer
  inbox = cuda.buffer("float32", $(k)):fill(0), request = cuda.buffer("int32", 1):fill(0),
  count = cuda.buffer("int32", 1):fill(1),
}
local roles = { [0] = "server" }  --@table roles
local role = roles[rank] or "worker"
local me = setmetatable(state, role == "server" and Server or Worker)

for round = 1, $(rounds) do  --@loop
  if role == "server" then
    me:serve(round)  --@skipline round
  else
    me:work(round)  --@skipline round
  end
  stream:sync()
end
$(finish)stream:sync()
expect.equal(state.weights, $(rounds) * nranks * (nranks - 1) / 2)
""", top=top, serve=serve, work=work, k=choose(draw, 4, 8, 16), rounds=rounds, finish=finish)


def coordinator(draw):
    """Rank 0 hands out tasks and collects results; workers loop until a word of rank 0 ends them."""
    n, tasks = choose(draw, 3, 4, 5, 6, 8), 0
    per = draw.randint(1, 3)
    tasks = per * (n - 1) + draw.randint(0, n - 2)
    return n, text("""
local STOP = -1
local control = world:split { color = 0, key = rank, name = "control" }
local word, result = cuda.buffer("int32", 1):fill(0), cuda.buffer("float32", $(k)):fill(0)

local function say(worker, value, at)
  word:fill(value, { stream = stream })
  control:send(word, worker)  --@call at
end

local function hear(at)
  control:recv(word, 0)  --@call at
  stream:sync()
  return word[1]
end

local function coordinate()
  local tasks, turn = {}, 0
  for task = 1, $(tasks) do table.insert(tasks, task * 10) end  --@loop
  local total = 0
  while #tasks > 0 do
    turn = turn + 1
    local busy = {}
    for worker = 1, nranks - 1 do
      local task = table.remove(tasks, 1)
      if not task then break end
      say(worker, task, turn)  --@skipline turn worker
      table.insert(busy, worker)
    end
    for _, worker in ipairs(busy) do
      world:recv(result, worker)  --@call turn worker
      stream:sync()
      total = total + result[1]
    end
  end
  for worker = 1, nranks - 1 do
    say(worker, STOP, 0)  --@skipline worker
  end
  expect.equal(total, 10 * $(tasks) * ($(tasks) + 1) / 2)
end

local function work()
  local done = 0
  while true do
    local task = hear(done)
    if task == STOP then break end
    done = done + 1
    result:fill(task, { stream = stream })
    world:send(result, 0)  --@call done
  end
end

local main = rank == 0 and coordinate or work
main()
stream:sync()
$(finish)""", k=choose(draw, 1, 4, 8), tasks=tasks,
                   finish=draw.choice(("", "barrier()  --@barrier\n", "control:all_reduce(result, { op = \"max\" })  --@call\nstream:sync()\n")))


def actors(draw):
    learners = choose(draw, 2, 2, 3)
    each = draw.randint(1, 3)
    n = learners * (1 + each)
    rounds = draw.randint(2, 3)
    news = draw.choice(("world:broadcast(policy, { root = 0 })  --@call round",
                        "crew:broadcast(policy, { root = 0 })  --@call round"))
    return n, text("""
local LEARNERS = $(learners)
local is_learner = rank < LEARNERS
local group = world:split { color = is_learner and 0 or nccl.NOCOLOR, key = rank, name = "learners" }
local mine = is_learner and rank or (rank - LEARNERS) % LEARNERS  -- the learner of an actor
local crew = world:split { color = mine, key = rank, name = "crew" .. mine }
local policy = cuda.buffer("float32", $(k)):fill(rank)
local episode, grad = cuda.buffer("float32", $(k)):fill(0), cuda.buffer("float32", $(k)):fill(0)

local function collect(round)
  for actor = 1, crew.nranks - 1 do
    crew:recv(episode, actor)  --@call round actor
    grad:add(episode, { stream = stream })
  end
end

local function learn(round)
  group:all_reduce(grad)  --@call round
  policy:copy_from(grad, { stream = stream })
end

local function act(round)
  episode:fill(round, { stream = stream })
  crew:send(episode, 0)  --@call round
end

local steps = is_learner and { collect, learn } or { act }  --@role
for round = 1, $(rounds) do  --@loop
  grad:fill(0, { stream = stream })
  for i, step in ipairs(steps) do
    step(round)  --@skipline round i
  end
  $(news)
  stream:sync()  --@sync round
  expect.equal(policy, round * (nranks - LEARNERS))
end
""", learners=learners, k=choose(draw, 4, 8), rounds=rounds, news=news)


def halo(draw):
    n = choose(draw, 3, 4, 4, 6, 8)
    periodic = draw.random() < .5
    edge = ("local left, right = (rank - 1) % nranks, (rank + 1) % nranks  --@peer" if periodic else
            "local left, right = rank > 0 and rank - 1 or nil, rank < nranks - 1 and rank + 1 or nil  --@peer")
    if draw.random() < .5:
        swap = """
local function exchange(it)
  nccl.group(function()  --@group it
    for _, side in ipairs(sides) do
      if side.peer then
        world:send(side.edge, side.peer)  --@call it
        world:recv(side.halo, side.peer)  --@call it
      end
    end
  end)
end"""
    else:
        swap = """
local function exchange(it)
  C.ncclGroupStart()
  for _, side in ipairs(sides) do
    if side.peer then
      world:send(side.edge, side.peer)  --@call it
      world:recv(side.halo, side.peer)  --@call it
    end
  end
  C.ncclGroupEnd()  --@groupend it
end"""
    order = "  { peer = left, edge = cuda.buffer(T, K):fill(rank), halo = cuda.buffer(T, K):fill(0) },\n" \
            "  { peer = right, edge = cuda.buffer(T, K):fill(rank), halo = cuda.buffer(T, K):fill(0) },"
    return n, text("""
local T, K = "float64", $(k)  --@size K
$(edge)
local sides = {
$(order)
}
local residual = cuda.buffer("float64", 1):fill(0)
$(swap)

local function norm(it)
  residual:fill((rank + 1) / (it * it), { stream = stream })
  world:all_reduce(residual, { op = "max" })  --@call it
  stream:sync()  --@sync it
  return residual[1]
end

local it = 0
repeat
  it = it + 1
  exchange(it)  --@skipline it
  local r = norm(it)  --@leave it
until r <= nranks / $(limit)
stream:sync()
for i, side in ipairs(sides) do
  if side.peer then expect.equal(side.halo, side.peer) end
end
""", k=choose(draw, 2, 4, 16), edge=edge, order=order, swap=swap, limit=choose(draw, 4, 9, 9))


def tree(draw):
    """A reduction along a binary tree and a hypercube of pairs, both by recursion."""
    bits = choose(draw, 2, 2, 3, 3, 4)
    n = 1 << bits
    rounds = draw.randint(1, 3)
    second = draw.choice(("world:broadcast(sum, { root = 0 })  --@call round", """spread(0, nranks, round)"""))
    return n, text("""
local sum, part = cuda.buffer("float32", $(k)):fill(0), cuda.buffer("float32", $(k)):fill(0)

local function reduce(low, size, round)
  if size == 1 then return end
  local half = size // 2
  local middle = low + half
  if rank < middle then reduce(low, half, round) else reduce(middle, half, round) end
  if rank == low then
    world:recv(part, middle)  --@call round size
    sum:add(part, { stream = stream })
  elseif rank == middle then
    world:send(sum, low)  --@call round size
  end
end

local function spread(low, size, round)
  if size == 1 then return end
  local half = size // 2
  local middle = low + half
  if rank == low then
    world:send(sum, middle)  --@call round size
  elseif rank == middle then
    world:recv(sum, low)  --@call round size
  end
  if rank < middle then return spread(low, half, round) end
  return spread(middle, half, round)
end

local function hypercube(round)
  local bit = 1
  while bit < nranks do
    local peer = rank // bit % 2 == 0 and rank + bit or rank - bit
    nccl.group(function()  --@group round bit
      world:send(sum, peer)  --@call round bit
      world:recv(part, peer)  --@call round bit
    end)
    sum:add(part, { stream = stream })
    bit = bit * 2
  end
end

for round = 1, $(rounds) do  --@loop
  sum:fill(rank, { stream = stream })
  if round % 2 == 1 then
    reduce(0, nranks, round)  --@skipline round
    $(second)
  else
    hypercube(round)  --@skipline round
  end
  stream:sync()
  expect.equal(sum, nranks * (nranks - 1) / 2)
end
""", k=choose(draw, 2, 8, 16), rounds=rounds, second=second)


def elastic(draw):
    """Ranks leave one by one; the rest shrinks and goes on. Rank 0 saves, the others wait for its word."""
    n = choose(draw, 4, 4, 5, 6, 8)
    gone = draw.randint(1, 2)
    save = draw.choice(("""
local function save(epoch)
  stream:sync()
  if rank == 0 then
    store:set("saved" .. epoch, true)  --@set epoch
  else
    store:get("saved" .. epoch)
  end
end""", """
local function save(epoch)
  job.comm:gather(state, rank == 0 and all or nil, { root = 0, count = 4 })  --@call epoch
  stream:sync()
end""", """
local function save(epoch)
  job.comm:all_reduce(flag, { op = "min" })  --@call epoch
  stream:sync()
end"""))
    return n, text("""
local all = cuda.buffer("float32", 8 * nranks):fill(0)
local state, flag = cuda.buffer("float32", 8):fill(0), cuda.buffer("int32", 1):fill(1)
local job = { comm = world, size = nranks }
$(save)

local function train(epoch, steps)
  for step = 1, steps do  --@loop
    state:fill(rank, { stream = stream })
    job.comm:all_reduce(state)  --@call epoch step
    stream:sync()  --@sync epoch step
    expect.equal(state, job.size * (job.size - 1) / 2)
  end
end

local function shrink(epoch)
  local last = job.size - 1
  if rank == last then return false end
  job.comm = job.comm:shrink({ last }, { name = "epoch" .. epoch })
  job.size = last
  return true
end

for epoch = 1, $(epochs) do
  train(epoch, $(steps))
  save(epoch)  --@skipline epoch
  if epoch < $(epochs) and not shrink(epoch) then return end  --@leave epoch
end
stream:sync()
""", save=save, epochs=gone + 1, steps=draw.randint(1, 3))


SHAPES = (server, coordinator, actors, halo, tree, elastic)
