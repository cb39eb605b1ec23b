scenario {
  about   = "the mended exchange_lucky: every exchange is a group, the first and all others",
  params  = { count = 64 },
  matrix  = { count = { 64, 1048576, 1048577, 4194304 } },
}

local other = 1 - rank
local mine, theirs = cuda.buffer("float32", param.count), cuda.buffer("float32", param.count)

for _ = 1, 2 do
  nccl.group(function()
    world:send(mine, other)
    world:recv(theirs, other)
  end)
  stream:sync()
end
