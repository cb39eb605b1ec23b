scenario {
  about  = "the mended short_message: the receiver reads only what it got",
  params = { receiver = 1 },
  matrix = { ranks = { 2, 3, 4 }, receiver = { 0, 1 } },
}

local n, sent  = 32, 24
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
  for i = 1, sent do sum = sum + tokens[i] end
  assert(sum == 5 * sent)
end
