scenario {
  about   = "a rank of the world is given as the root of a part, which has not so many",
  bug     = { entry = "C4", thread = { "pytorch/pytorch#74602", "meta-pytorch/torchrec#4601" },
              nccl = "out of range: ncclInvalidArgument on the ranks of that part, and nothing is sent" },
  matrix  = { ranks = { 4, 6, 8 } },
  outcome = function(run)
    local second = {}
    for r = run.nranks // 2, run.nranks - 1 do second[#second + 1] = r end
    return { error = "ncclInvalidArgument", call = "ncclBroadcast", findings = 1,
             finding = { rule = "failed-call", culprit = second, call = 1 } }
  end,
}

local half = nranks // 2
local part = world:split { color = rank // half }
local lead = rank // half * half -- the first of this part, as the world counts

local x = cuda.buffer("float32", 64):fill(rank)
C.check(C.ncclBroadcast(x, x, #x, C.ncclFloat32, lead, part, stream)) -- fine in the first part only
stream:sync()
