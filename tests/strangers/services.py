"""Correct programs, third part: services and their clients, rings, communicators made of ids."""
from training import choose, text


def services(draw):
    """Several servers and their clients, who come in the order of a table of requests."""
    servers = choose(draw, 1, 2, 2, 3)
    clients = servers * draw.randint(1, 3) + (1 if servers == 1 else 0)
    n, asks = servers + clients, draw.randint(2, 4)
    reply = draw.choice(("", """
    if request.kind == "long" then
      link:send(answer, client)  --@call turn
    end"""))
    hear = "" if not reply else """
    if request.kind == "long" then
      link:recv(answer, 0)  --@call turn
    end"""
    kinds = ", ".join('{ kind = "%s", size = %d }' % (draw.choice(("short", "long")), draw.choice((4, 8, 16))) for _ in range(asks))
    return n, text("""
local SERVERS = $(servers)
local requests = { $(kinds) }
local serving = rank < SERVERS
local home = serving and rank or (rank - SERVERS) % SERVERS
local link = world:split { color = home, key = rank, name = "link" .. home }
local question, answer = cuda.buffer("float32", 16):fill(rank), cuda.buffer("float32", 16):fill(home)  --@buffer
local total = cuda.buffer("float32", 1):fill(1)

local function answer_all(turn, request)
  for client = 1, link.nranks - 1 do  --@loop
    link:recv(question, client, { count = request.size })  --@call turn client
    link:send(answer, client, { count = request.size })  --@call turn client$(reply)
  end
end

local function ask(turn, request)
  local client = 0
  link:send(question, 0, { count = request.size })  --@call turn
  link:recv(answer, 0, { count = request.size })  --@call turn$(hear)
end

local handler = serving and answer_all or ask
for turn, request in ipairs(requests) do
  handler(turn, request)  --@skipline turn
  if turn % 2 == 0 then
    world:all_reduce(total, { op = "max" })  --@call turn
  end
  stream:sync()
end
$(finish)stream:sync()
expect.equal(answer, home)
""", servers=servers, kinds=kinds, reply=reply, hear=hear, finish=draw.choice(("", "barrier()  --@barrier\n", "link:broadcast(total, { root = 0 })  --@call\n")))


def ring(draw):
    """Blocks of keys travel around a ring of each replica while the rank works on the block that it has."""
    width, replicas = choose(draw, (3, 1), (4, 1), (4, 2), (3, 2), (6, 1), (5, 1), (4, 3))
    steps = draw.randint(1, 3)
    return width * replicas, text("""
local WIDTH = $(width)
local cp = world:split { color = rank // WIDTH, key = rank, name = "cp" .. rank // WIDTH }
local replica = world:split { color = rank % WIDTH, key = rank, name = "replica" .. rank % WIDTH }
local right, left = (cp.rank + 1) % WIDTH, (cp.rank + WIDTH - 1) % WIDTH  --@peer
local here, there = cuda.buffer("float32", $(k)):fill(cp.rank), cuda.buffer("float32", $(k)):fill(0)  --@buffer
local seen, scale = cuda.buffer("float32", $(k)):fill(0), cuda.buffer("float32", 1):fill(1)

local Ring = { turns = 0 }

function Ring.pass(step, hop)
  nccl.group(function()  --@group step hop
    cp:send(here, right)  --@call step hop
    cp:recv(there, left)  --@call step hop
  end)
  here, there = there, here
  Ring.turns = Ring.turns + 1
end

function Ring.attend(step)
  seen:fill(0, { stream = stream })
  for hop = 1, WIDTH do  --@loop
    seen:add(here, { stream = stream })
    Ring.pass(step, hop)  --@skipline step hop
  end
end

for step = 1, $(steps) do  --@loop
  Ring.attend(step)
  $(more)
  stream:sync()  --@sync step
  expect.equal(seen, WIDTH * (WIDTH - 1) / 2)
end
""", width=width, k=choose(draw, 4, 8, 32), steps=steps, more=draw.choice((
        "world:all_reduce(scale, { op = \"max\" })  --@call step", "cp:reduce(scale, { root = step % WIDTH, op = \"max\" })  --@call step",
        "replica:all_reduce(scale, { op = \"max\" })  --@call step" if replicas > 1 else "barrier()  --@barrier step")))


def bootstrap(draw):
    """Communicators made of ids that travel through the store; a table says who belongs where."""
    n = choose(draw, 4, 4, 6, 8)
    half = n // 2
    rounds = draw.randint(1, 3)
    ready = draw.choice(("barrier()  --@barrier\n", "", "store:set(\"ready\" .. rank, true)  --@set\nfor other = 0, nranks - 1 do store:get(\"ready\" .. other) end\n"))
    return n, text("""
local teams = {
  { name = "front", first = 0, count = $(half) },
  { name = "back", first = $(half), count = nranks - $(half) },
  { name = "all", first = 0, count = nranks },
}
local comms = {}

local function join(team)
  local me = rank - team.first
  if me < 0 or me >= team.count then return end
  if me == 0 then
    store:set("id of " .. team.name, nccl.unique_id())  --@set
  end
  local id = store:get("id of " .. team.name)
  comms[team.name] = nccl.init_rank(team.count, id, me, { name = team.name })  --@init
end

for i, team in ipairs(teams) do
  join(team)
end
$(ready)
local x, sum = cuda.buffer("float32", $(k)):fill(1), cuda.buffer("float32", $(k)):fill(0)
local function each(round, fn)
  for i, team in ipairs(teams) do
    local comm = comms[team.name]
    if comm then fn(comm, team, round) end  --@skipline round i
  end
end

for round = 1, $(rounds) do  --@loop
  each(round, function(comm, team, round)
    comm:all_reduce(x, sum)  --@call round
    stream:sync()  --@sync round
    expect.equal(sum, team.count)
  end)
  each(round, function(comm, team, round)
    comm:broadcast(x, { root = 0 })  --@call round
  end)
  stream:sync()
end
$(finish)""", half=half, k=choose(draw, 2, 8), rounds=rounds, ready=ready, finish=draw.choice((
        "", "for i, team in ipairs(teams) do\n  if comms[team.name] then comms[team.name]:destroy() end\nend\n")))


SHAPES = (services, ring, bootstrap)
