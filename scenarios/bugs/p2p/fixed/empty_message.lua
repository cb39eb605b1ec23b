scenario {
  about   = "the mended empty_message: both sides make the call, or both leave it out",
  params  = { from = 0 },
  matrix  = { ranks = { 2, 4 }, from = { 0, 1 } },
}

local x = cuda.buffer("float32", 8)
local have = 0

if rank == param.from then
  world:send(x, 1 - rank, { count = have })
elseif rank == 1 - param.from then
  world:recv(x, param.from, { count = have })
end
stream:sync()
