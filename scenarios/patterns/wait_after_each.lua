scenario {
  ranks  = 2,
  params = { rounds = 3 },
  about  = "bindings whose send and recv take a tag and wait: no groups, and the tag does not matter",
}

-- Such a binding takes the arguments of MPI. NCCL has no tags: messages between two ranks arrive in the
-- order in which they were sent, and the binding drops the tag. The wait makes both calls block.
local function send(x, peer, tag)
  world:send(x, peer)
  stream:sync()
end
local function recv(x, peer, tag)
  world:recv(x, peer)
  stream:sync()
end

-- Ungrouped calls that wait meet in one order only: one rank sends first, the other receives first.
local other = 1 - rank
local mine, theirs = cuda.buffer("float32", 64), cuda.buffer("float32", 64)
for round = 1, param.rounds do
  mine:fill(10 * round + rank)
  if rank == 0 then
    send(mine, other, round)
    recv(theirs, other, round)
  else
    recv(theirs, other, round)
    send(mine, other, round)
  end
  expect.equal(theirs, 10 * round + other)
end

-- Rank 1 asks for tag 2 first. It gets what was sent first, with tag 1.
local first, second = cuda.buffer("int32", 4):fill(-1), cuda.buffer("int32", 4):fill(-1)
if rank == 0 then
  send(first:fill(1), other, 1)
  send(second:fill(2), other, 2)
else
  recv(second, other, 2)
  recv(first, other, 1)
  expect.equal(second, 1)
  expect.equal(first, 2)
end
