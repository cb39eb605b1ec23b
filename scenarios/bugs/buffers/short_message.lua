scenario {
  about   = "a message is shorter than what its receiver reads: sender and receiver agree on a length that is too small",
  needs   = { driver = "sim" },
  params  = { receiver = 1 },
  matrix  = { ranks = { 2, 3, 4 }, receiver = { 0, 1 } },
  bug     = { entry = "K3", nccl = "no error; the receiver reads old data behind the message" },
  outcome = function(run)
    return { pass = true, findings = 0,
             finding = { rule = "never-written", culprit = run.param.receiver, certainty = "undefined" } }
  end,
}

local n, sent  = 32, 24 -- the length of the last batch
local sender   = (param.receiver + 1) % nranks
local tokens   = cuda.buffer("int32", n)
if rank == sender then
  tokens:fill(5)
  world:send(tokens, param.receiver, { count = sent })
elseif rank == param.receiver then
  world:recv(tokens, sender, { count = sent })
end
stream:sync()
if rank == param.receiver then
  local sum = 0
  for i = 1, n do sum = sum + tokens[i] end
end
