-- Stage 2 leaves a send out of a group that also receives. To leave the receive out repairs the run, too, so either end may be wrong.
scenario { ranks = 4 }
local TP, stages, M = 1, 4, 3
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
    prev = at > 0 and at - 1 or nil,
    next = at < stages - 1 and at + 1 or nil,
    act = cuda.buffer("float32", 32):fill(at),
    grad = cuda.buffer("float32", 32):fill(at),
  }, Stage)
end

function Stage:take(micro)
  if self.prev then
    self.pp:recv(self.act, self.prev)
  end
end

function Stage:give(micro)
  if self.next then
    self.pp:send(self.act, self.next)
  end
end

function Stage:take_back(micro)
  if self.next then
    self.pp:recv(self.grad, self.next)
  end
end

function Stage:give_back(micro)
  if self.prev then
    self.pp:send(self.grad, self.prev)
  end
end

function Stage:give_and_take_back(micro)
  nccl.group(function()
    if self.next then
      if not (rank == 2 and micro == 3) then
        self.pp:send(self.act, self.next)
      end
      self.pp:recv(self.grad, self.next)
    end
  end)
end

function Stage:give_back_and_take(micro)
  nccl.group(function()
    if self.prev then
      self.pp:send(self.grad, self.prev)
      self.pp:recv(self.act, self.prev)
    end
  end)
end

function Stage:run(step)
  local warm = math.min(stages - 1 - stage, M)
  for micro = 1, warm do
    self:take(micro)
    self:give(micro)
  end
  if warm < M then self:take(warm + 1) end
  for micro = warm + 1, M do
    self:give_and_take_back(micro)
    if micro == M then
      self:give_back(micro)
    else
      self:give_back_and_take(micro)
    end
  end
  for micro = 1, warm do
    self:take_back(micro)
    self:give_back(micro)
  end
end

local mine = Stage.new(stage)
for step = 1, 2 do
  mine:run(step)
  stream:sync()
end
stream:sync()
