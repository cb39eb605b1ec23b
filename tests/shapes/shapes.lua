-- A program in one of three shapes: a process for each rank, one process with a thread for each device, one
-- thread that drives all devices. Its steps are those of every rank, in order:
--   { group = f }  f(r) makes calls in a group, r what the rank has; one thread has all ranks' in one group
--   { call = f }   the same without a group of the program's own
--   { sync = true } the host waits for the rank's stream
scenario { ranks = PROCESSES, world = false, devices = RANKS }

local function rank_of(at, a, b)
  return { rank = at, n = RANKS, device = a.device, a = a, b = b, s = cuda.stream(), guilty = at == GUILTY,
           x = cuda.buffer("float32", 64):fill(1), y = cuda.buffer("float32", 64 * RANKS):fill(0), i = cuda.buffer("int32", 64):fill(1) }
end

local steps = {}
local function go(ranks)
  for _, step in ipairs(steps) do
    if step.group then
      nccl.group(function()
        for _, r in ipairs(ranks) do
          if not r.over then cuda.set_device(r.device) step.group(r) end
        end
      end)
    else
      for _, r in ipairs(ranks) do
        cuda.set_device(r.device)
        if step.sync then r.s:sync() elseif not r.over then step.call(r) end
      end
    end
  end
end

local function start()
  if SHAPE == "process" then
    local comms = {}
    for i = 1, 2 do
      local key = "id" .. i
      if rank == 0 then store:set(key, nccl.unique_id()) end
      comms[i] = nccl.init_rank(RANKS, store:get(key), rank)
    end
    go { rank_of(rank, comms[1], comms[2]) }
    return
  end
  local a, b, ranks, workers = nccl.init_all(RANKS), nccl.init_all(RANKS), {}, {}
  for i = 1, RANKS do
    if SHAPE == "thread" then
      cuda.set_device(i - 1)
      ranks[i] = rank_of(i - 1, a[i], b[i])
    else
      workers[i] = spawn(function()
        cuda.set_device(i - 1)
        go { rank_of(i - 1, a[i], b[i]) }
      end)
    end
  end
  for _, worker in ipairs(workers) do worker:join() end
  if SHAPE == "thread" then go(ranks) end
end

local function reduce(r) r.a:all_reduce(r.x, { stream = r.s }) end
local function broadcast(r) r.a:broadcast(r.x, { stream = r.s }) end
local function all(f) return { group = f } end
local sync = { sync = true }
